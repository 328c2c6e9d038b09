/// The part of the past that a device that joins may read.
package enum SharedHistory: String, Sendable, CaseIterable {
    case all
    case fromNow = "from-now"
}
