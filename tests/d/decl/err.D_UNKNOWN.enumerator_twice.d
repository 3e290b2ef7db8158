enum e { A, A };
