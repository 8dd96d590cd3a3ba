# what: LAMMPS on two MPI ranks (package lammps): a crystal of 4,000 atoms melts, by two forms of the same forces
# packages: lammps openmpi-bin
# needs: lmp mpirun.openmpi
# profile: lmp
# limit: 600
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
cat >melt <<'END_OF_INPUT'
units lj
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
thermo_modify norm yes format float %.4f
run 100
END_OF_INPUT
for suffix in '' opt; do
    mpirun.openmpi --oversubscribe -n 2 lmp -in melt -log none ${suffix:+-sf $suffix} >out </dev/null
    echo "lmp $?"
    # what it computed, without times
    awk '/^ *Step/ { on = 1 } /^Loop time/ { on = 0; print $(NF - 1), $NF } on' out
    grep -E '^(Created|Nlocal|Nghost|Total # of neighbors|Neighbor list builds|Dangerous)' out
done
