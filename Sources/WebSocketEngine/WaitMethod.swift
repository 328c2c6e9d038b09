/// The system call in which an event loop waits for its sockets.
package enum WaitMethod: String, Sendable {
    /// libwebsockets' own way: costs the kernel a look at every socket in every turn. For a handful of them it is the cheapest.
    case poll

    /// Waits by libev, through libwebsockets' plug-in: a turn costs what became readable.
    case epoll
}
