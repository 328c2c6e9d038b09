/// A batch's messages of one session, made while the disk is busy with it, so that they only have to be sent afterwards. Nil if nobody
/// would have got the message when it was made; then it is made when it is sent.
struct PreparedMessages {
    var events: [UInt8]?
    /// The summary after this batch; nil again once the view changes.
    var summary: [UInt8]?
    /// One message for each approval of the batch, in order; nil for those that changed again within it.
    var approvals: [[UInt8]?] = []
    /// One message to the host for each of these approvals.
    var decisions: [[UInt8]?] = []

    func approval(_ place: Int) -> [UInt8]? { approvals.indices.contains(place) ? approvals[place] : nil }
    func decision(_ place: Int) -> [UInt8]? { decisions.indices.contains(place) ? decisions[place] : nil }
}
