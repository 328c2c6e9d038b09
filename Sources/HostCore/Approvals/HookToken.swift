/// Names one caller that waits for an answer in this life of the daemon, for any agent: a hook call, or a request on a connection.
package struct HookToken: Hashable, Sendable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
