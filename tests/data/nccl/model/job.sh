#!/bin/bash
export NCCL_GRAPH_DUMP_FILE=graph.xml
export NCCL_TOPO_DUMP_FILE=topo.xml
srun ./train
