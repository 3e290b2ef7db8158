BEGIN { trace($taskid); }
