# The list is made from the algorithms themselves.
collc algorithms
