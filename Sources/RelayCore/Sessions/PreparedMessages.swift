/// A batch's messages of one session, made while the disk is busy with it, so that they only have to be sent afterwards. Nil if nobody
/// would have got the message when it was made; then it is made when it is sent.
struct PreparedMessages {
    var events: [UInt8]?
    /// Of the view that the batch makes true: nil again once that changes.
    var summary: [UInt8]?
    /// Of the approvals of the batch, in their order; nil for those that went on within it.
    var approvals: [[UInt8]?] = []
    /// Likewise, for their host.
    var decisions: [[UInt8]?] = []

    func approval(_ place: Int) -> [UInt8]? { approvals.indices.contains(place) ? approvals[place] : nil }
    func decision(_ place: Int) -> [UInt8]? { decisions.indices.contains(place) ? decisions[place] : nil }
}
