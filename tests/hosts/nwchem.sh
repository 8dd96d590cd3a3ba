# what: NWChem on two MPI ranks (package nwchem-openmpi): the energy and the forces of a molecule of water, by Hartree-Fock and by density functional theory
# packages: nwchem-openmpi openmpi-bin
# needs: nwchem.openmpi mpirun.openmpi
# profile: nwchem.openmpi
# limit: 600
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1
cat >water.nw <<'END_OF_INPUT'
start water
geometry units angstrom
  O 0.0 0.0 0.0
  H 0.0 0.757 0.586
  H 0.0 -0.757 0.586
end
basis
  * library 6-31g*
end
task scf gradient
dft
  xc b3lyp
end
task dft energy
END_OF_INPUT
mpirun.openmpi --oversubscribe -n 2 nwchem.openmpi water.nw >out </dev/null
echo "nwchem $?"
# what it computed, without times
grep -E 'Total (SCF|DFT) energy|Nuclear repulsion energy' out
awk '/ENERGY GRADIENTS/ { on = 1 } on && $1 ~ /^[0-9]+$/ { printf "%s", $2; for (i = 6; i <= 8; i++) printf " %.4f", $i + 0 == 0 ? 0 : $i; print "" } /time/ { on = 0 }' out
