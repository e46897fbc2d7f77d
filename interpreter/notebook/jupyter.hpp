// `covec jupyter install`: writes the folder in which Jupyter looks for the kernel.
#pragma once

namespace covec {

// For all users of this machine (/usr/local/share/jupyter), or for this one ($JUPYTER_DATA_DIR, else
// ~/.local/share/jupyter). Gives the exit status.
int install_jupyter_kernel(bool user);

}  // namespace covec
