/// What a device that joins may read of what was sealed before.
package enum SharedHistory: String, Sendable, CaseIterable {
    case all
    case fromNow = "from-now"
}
