// A graphd of one's own: started on a temporary state directory, stopped and
// cleaned up at the end.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_TESTS_SUPPORT_DAEMON_PROCESS_H_
#define GRAPHD_TESTS_SUPPORT_DAEMON_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace graphd {

class DaemonProcess {
 public:
  // Starts `program` with a Unix socket and a free loopback port, waits until
  // it serves (at most 20 s).
  static absl::StatusOr<std::unique_ptr<DaemonProcess>> Start(
      const std::string& program, std::vector<std::string> extra_flags = {});
  // Stops it if it runs, removes its files.
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  // SIGKILL, then waits.
  void Kill();
  // Starts it again on the same state directory and socket.
  // Requires: it does not run.
  absl::Status Restart();
  // SIGTERM, then waits. Returns the exit code; 128 + signal when a signal
  // ended it.
  int Stop();

  pid_t pid() const { return pid_; }
  const std::string& unix_endpoint() const {
    return unix_endpoint_;
  }  // "unix:/…/graphd.sock"
  const std::string& tcp_endpoint() const {
    return tcp_endpoint_;
  }  // "127.0.0.1:40123"

 private:
  DaemonProcess() = default;
  int Wait();

  std::string program_;
  std::vector<std::string> extra_flags_;
  pid_t pid_ = -1;
  std::string directory_;
  std::string unix_endpoint_;
  std::string tcp_endpoint_;
};

}  // namespace graphd

#endif  // GRAPHD_TESTS_SUPPORT_DAEMON_PROCESS_H_
