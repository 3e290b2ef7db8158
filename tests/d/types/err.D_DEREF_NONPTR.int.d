BEGIN { trace(*timestamp); }
