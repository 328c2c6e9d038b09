import RelayModel
import RelayProtocol

/// A `decide` command that is answered when the approval's decision is on disk.
struct DecisionWaiter {
    let peer: PeerID
    let command: CommandID
    let key: SessionKey
    let approval: ApprovalID
    let verdict: Decision.Verdict
}
