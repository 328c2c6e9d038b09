/// The part of the past that a newly joined device may read.
package enum SharedHistory: String, Sendable, CaseIterable {
    case all
    case fromNow = "from-now"
}
