// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// This machine's files for a guest, by virtiofs: what virtiofsd serves is read-only here already,
// so that nothing in the guest can change it. No socket has a name, nothing is left behind.
#pragma once

#include "tools/lib/fd.h"
#include "tools/lib/process.h"

namespace vmtest
{

// A virtiofsd, which ends with this object.
class HostFiles {
public:
  // Throws outcome_error (QemuError): there is no virtiofsd, or it cannot be run.
  HostFiles();

  // For QEMU's vhost-user-fs, which is then alone with virtiofsd.
  int socket() const { return x_socket.get(); }

private:
  Fd x_socket, x_err;
  process::Child x_child;
};

} // namespace vmtest
