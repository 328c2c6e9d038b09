import HeliographHost

/// The part of a pairing link that is for the hosts of this machine.
enum HostSecret {
    /// `&k=SECRET`; empty if no host here asks for signatures, or nothing can be kept: then the link pairs with the relay alone.
    static var part: String {
        let first = FirstTrust()
        guard first.isUseful else { return "" }
        do { return "&k=\(try first.show())" } catch {
            Output.remark("hosts of this machine are not part of this link: \(error)")
            return ""
        }
    }
}
