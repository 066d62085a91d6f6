# Help of collc and of one command.
collc --help
collc verify --help
collc help fmt
