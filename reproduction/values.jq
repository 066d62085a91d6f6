# What figures show, of the records of `collc ... --format json`. MB is 10^6 bytes.

# Bandwidth of an all-to-all for a machine, in MB/s (Naruse et al. 2010, figure 2).
def alltoall_bandwidth: .alltoall_bandwidth / 1e6;

# Each step and how long it takes, over the longest of those with the number of a multiple of $n: a line
# for each, x and value.
def step_times($n):
  [.per_step[] | {step, time: (.end_ns - .start_ns)}] as $steps
  | ([$steps[] | select(.step % $n == 0) | .time] | max) as $unit
  | $steps[] | "\(.step)\t\(.time / $unit)";

# Time over that of so many flits.
def cycles_over($flits): .cycles / $flits;
