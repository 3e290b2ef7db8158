int timestamp;
