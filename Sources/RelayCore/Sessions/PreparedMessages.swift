/// A batch's messages about one session, encoded while the disk is busy, so that afterwards they only have to be sent. Nil if the
/// message had no receiver at that time; then it is encoded when it is sent.
struct PreparedMessages {
    var events: [UInt8]?
    /// The summary after this batch; set to nil when the view changes.
    var summary: [UInt8]?
    /// One message for each approval of the batch, in order; nil for those that changed again within it.
    var approvals: [[UInt8]?] = []
    /// One message to the host for each of these approvals.
    var decisions: [[UInt8]?] = []

    func approval(_ place: Int) -> [UInt8]? { approvals.indices.contains(place) ? approvals[place] : nil }
    func decision(_ place: Int) -> [UInt8]? { decisions.indices.contains(place) ? decisions[place] : nil }
}
