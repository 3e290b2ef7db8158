int exit;
