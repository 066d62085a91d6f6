# The list is made from the algorithms themselves: names, and what those of a collective are.
collc algorithms
collc algorithms bcast

# The formulas are those of the default algorithms: with others there are no figures.
collc algorithms bcast/hierarchical -t star:4 --ranks-per-machine 4 | grep -A1 -E 'param|here'
collc algorithms bcast/hierarchical -t star:4 --ranks-per-machine 4 --param outer=chain | grep -A1 -E 'param|here'
collc algorithms bcast/hierarchical -t star:4 --ranks-per-machine 4 --param outer=chain --format json | grep -o '"steps": {.*null}, "messages"'
