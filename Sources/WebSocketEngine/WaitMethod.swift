/// The system call in which an event loop waits for its sockets.
package enum WaitMethod: String, Sendable {
    /// libwebsockets' default: in every turn the kernel checks every socket. Cheapest for a handful of them.
    case poll

    /// Waits by libev, through libwebsockets' plug-in: a turn costs only as much as became readable.
    case epoll
}
