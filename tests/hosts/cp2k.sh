# what: CP2K on two MPI ranks of two OpenMP threads each: the energy of a molecule of hydrogen, three steps of its dynamics
# packages: cp2k openmpi-bin
# needs: cp2k mpirun.openmpi
# profile: cp2k
# limit: 900
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=2
export OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive
cat >h2.inp <<'END_OF_INPUT'
&GLOBAL
  PROJECT h2
  RUN_TYPE MD
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD QS
  &DFT
    BASIS_SET_FILE_NAME /usr/share/cp2k/BASIS_SET
    POTENTIAL_FILE_NAME /usr/share/cp2k/GTH_POTENTIALS
    &MGRID
      CUTOFF 120
    &END MGRID
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 5.0 5.0 5.0
    &END CELL
    &COORD
      H 0.0 0.0 0.0
      H 0.0 0.0 0.74
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
&MOTION
  &MD
    STEPS 3
    TIMESTEP 0.5
    TEMPERATURE 0
  &END MD
&END MOTION
END_OF_INPUT
mpirun.openmpi --oversubscribe -n 2 cp2k -i h2.inp -o out </dev/null
echo "cp2k $?"
# what it computed, without times
awk '/ENERGY\| Total FORCE_EVAL/ { printf "%.7f\n", $NF }' out
