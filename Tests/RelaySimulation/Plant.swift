/// A fault that must be caught: the world itself breaks a promise, and the checker that watches over it has to see that.
package enum Plant: String, Sendable, CaseIterable {
    /// The disk answers before it has the batch.
    case answerBeforeDurable
    /// The relay takes a commit in doubt for one that is on disk.
    case hastyCommit
    /// The relay takes a commit in doubt for one that is not on disk.
    case carelessRefusal
    /// The relay goes on with what it remembers, though it does not know what is on disk.
    case stubbornCore
    /// The relay reads its disk again before the last commit has come to its end.
    case earlyLoad
    /// Peers of a relay that reads its disk again are not sent away.
    case unheardSuspension
    /// One event of a message to a client is missing.
    case droppedEvent
    /// A client gets the reply that its decision counts although another won.
    case twoWinners
    /// An agent takes a denial for an allow.
    case deafAgent
    /// A desk mistakes any hook that asks the same for the one that asked before.
    case strangersAnswer
    /// A desk does not compare the digest of a decision with that of the input.
    case carelessDigest
    /// A desk mistakes a plain allow for the choice of an agent's offer.
    case eagerOffer
    /// A desk answers an ended question.
    case lateAnswer
    /// A desk hands an answer over to a hook that asks the same later.
    case repeatedAnswer
    /// A desk's answer is handed over though the disk did not take it.
    case unrecordedAnswer
    /// A desk reports another end of an approval that has ended.
    case secondEnd
    /// News of an approval does not reach a client.
    case unheardApproval
    /// The relay does not learn of peers that have left.
    case ghosts
    /// The log forgets an approval at a start.
    case forgetfulLog
    /// A host does not come back.
    case absentHost
    /// A host's spool loses an event that it took.
    case leakySpool
    /// The log forgets how far a removed session had come.
    case forgottenPlace
    /// Events that were trimmed are skipped without a notice.
    case silentTrim
    /// The log forgets at a start a day's spending.
    case forgottenSpending
    /// The relay starts without the rows of costs.
    case forgottenCosts
    /// A host does not receive the holds.
    case deafHost
    /// An adapter gives its agent a prompt twice.
    case repeatedPrompt
    /// An adapter reports that its agent is idle while it asks.
    case hastyPrompt
    /// A host does not learn which commands the relay waits for.
    case unheardOutstanding
    /// A host forgets at a start the ends that it has reported.
    case forgottenEnds
    /// An adapter reports that a prompt was refused, and the agent took it.
    case deniedPrompt
    /// An adapter starts a session twice.
    case repeatedStart
    /// A host does not look whether a project is still the folder that was allowed.
    case strayStart
    /// The relay lets every client steer.
    case trustingRelay
    /// Codex is given the answer to a request again that it has closed.
    case answeredAgain
    /// The adapter takes it that Codex accepted a prompt for having read it.
    case acceptedPrompt
    /// Claude's adapter takes the hook of a call for that of an older one with the same input.
    case olderCall
    /// Claude's adapter does not receive the end of a turn.
    case unheardStop
    /// A program is handed a command twice: each of its open requests.
    case handedTwice
    /// A program gets the answer to an earlier question that was the same.
    case namesakesAnswer
    /// The proxy gives an agent of the Agent Client Protocol the option that lasts for a plain yes.
    case lastingAnswer
    /// The proxy passes a decision on, and the editor's own answer as well.
    case secondAnswer
    /// `heliograph run` writes a prompt once more when its daemon is back.
    case promptAgain
    /// `heliograph run` ignores that its agent has taken a question back.
    case deafToCancel
    /// `heliograph run` allows another question than the answered one.
    case strangersPermission
    /// `heliograph claude` takes a dialog for the input line.
    case unseenDialog
    /// `heliograph claude` types a prompt once more if nothing has shown that it was taken.
    case retypedPrompt
    /// A push to a card carries an older time than the one before.
    case backdatedPush
    /// A card is sent something after its end.
    case restlessCard
    /// A push counts as sent, and never was.
    case swallowedPush
    /// The same of alerts about budgets.
    case swallowedCrossing
    /// Timers of cards do not fire.
    case sleepingCards
    /// The relay takes every phone for one with frequent pushes.
    case boastfulPhone
    /// The relay does not learn that the person looks at the phone.
    case unheardPresence
    /// The log forgets at a start which pushes have rung.
    case forgetfulOutbox
    /// Every start of a card is ordered twice.
    case doubleStart
    /// A notification presents the code of another.
    case swappedCode
    /// APNs reports that it has deleted a channel, and keeps it.
    case keptChannel
    /// Every push to a card goes twenty times.
    case hastyCard
    /// A browser's notification offers to allow input that it does not show in full.
    case boldNotification
    /// The relay does not learn that a browser's subscription is gone.
    case unheardGoodbye
    /// The relay treats devices that want one digest for everything that needs no answer like others.
    case impatientDigest
    /// Timers of digests do not fire.
    case sleepingDigest
    /// A host takes a file of rules for accepted that its owner has not accepted.
    case unacceptedRules
    /// A host goes on with the rules that it knew while their file cannot be read.
    case unreadRules
    /// A host forgets at a start which rules were taken back.
    case forgottenRuleOff
    /// A host keeps a rule that was taken back from afar.
    case keptRule
    /// A host that asks for signatures takes a change of its rules without one.
    case unsignedRule
    /// A host takes a change of its rules again.
    case repeatedRule
    /// A host that asks for signatures takes a decision without one.
    case unsignedDecision
    /// The same of prompts and starts.
    case unsignedCommand
    /// A host does not verify a signature.
    case uncheckedSignature
    /// A host does not look whether a passkey has confirmed what its owner wants confirmed.
    case skippedPasskey
    /// A host takes the signature of a key that it does not know.
    case strangersSignature
    /// A host takes the signature of a device that it distrusts.
    case formerDevice
    /// A host does not look at what a device may do.
    case exceededRights
    /// A host takes what was signed for another host; and so on, for each field of what is signed.
    case otherHost
    case otherSession
    case otherApproval
    case otherShown
    case otherDigest
    case otherVerdict
    case otherDetail
    case otherCommand
    case otherText
    /// A host does not compare the count of a command with the last one.
    case oldCount
    /// A host forgets at a start the counts of its devices.
    case forgottenCount
    /// A host does not verify the signature of a vouch.
    case uncheckedVouch
    /// A host takes the vouch of a device that may not bring others.
    case vouchWithoutRight
    /// A host takes a vouch that is for another host.
    case otherHostsVouch
    /// A host ends the trust in a device at the word of one that may not.
    case distrustWithoutRight
    /// A device does not verify who says whom a host trusts.
    case uncheckedRoll
    /// A device takes the answer to an earlier question for whom a host trusts.
    case olderRoll
    /// A host that seals uses a nonce twice with one key.
    case reusedNonce
    /// A host seals an event with the number of the one before.
    case reusedNumber
    /// A host seals an event for another session.
    case misboundEvent
    /// A host goes on with its old key when a device has gone.
    case staleEpoch
    /// A host wraps its key for a device that it does not trust any more.
    case formerReader
    /// A host wraps earlier keys for a device that may read from now on.
    case earlierHistory
    /// The head of an event has all that an open host's would have.
    case openHead
    /// A host seals with a key that is not on disk.
    case unkeptKey
    /// A host forgets the numbers of its epochs.
    case forgottenEpoch
    /// A device sends its words as they are.
    case openWords
    /// A device does not say that events are missing.
    case ignoredHole
    /// A device shows an event that came before, or too late, as a new one.
    case shownRepeat
    /// A device shows an event that nobody sealed.
    case shownForgery

    /// The adapter in which the fault is planted; nil unless it is a real one.
    var agent: AgentKind? {
        switch self {
        case .answeredAgain, .acceptedPrompt: .codex
        case .handedTwice, .namesakesAnswer: .program
        case .olderCall, .unheardStop: .claude
        case .lastingAnswer, .secondAnswer: .acp
        case .promptAgain, .deafToCancel, .strangersPermission: .control
        case .unseenDialog, .retypedPrompt: .typing
        default: nil
        }
    }

    /// True if the fault is a host's that has rules.
    var isOfRules: Bool {
        [.unacceptedRules, .unreadRules, .forgottenRuleOff, .keptRule, .unsignedRule, .repeatedRule].contains(self)
    }

    /// True if the fault is a host's that asks for signatures.
    var isOfConsent: Bool { watchers == [.consent] }
    /// True if the fault is one of a host that seals, or of its devices.
    var isOfSealing: Bool { watchers.contains(.sealing) }

    /// The checkers that have to see it.
    package var watchers: Set<CheckerName> {
        switch self {
        case .answerBeforeDurable, .hastyCommit: [.durability]
        // The next batch contradicts the log, if nobody has seen it by then.
        case .carelessRefusal, .stubbornCore: [.retention, .completeness]
        case .earlyLoad: [.replay, .retention]
        case .unheardSuspension: [.convergence]
        case .droppedEvent: [.view]
        case .twoWinners: [.decision]
        case .deafAgent, .carelessDigest, .unrecordedAnswer, .unacceptedRules, .unreadRules, .forgottenRuleOff, .keptRule:
            [.freedom]
        // What no client chose, no device has signed.
        case .strangersAnswer, .eagerOffer, .lateAnswer, .repeatedAnswer: [.freedom, .consent]
        case .unheardApproval: [.pending]
        case .ghosts: [.memory]
        case .forgetfulLog: [.replay]
        case .absentHost: [.convergence]
        case .leakySpool, .secondEnd: [.completeness]
        case .forgottenPlace: [.retention]
        case .silentTrim: [.view]
        case .forgottenSpending, .forgottenCosts, .deafHost: [.budget]
        case .repeatedPrompt, .hastyPrompt, .unheardOutstanding, .forgottenEnds, .deniedPrompt, .repeatedStart, .strayStart,
            .trustingRelay:
            [.steering]
        case .answeredAgain, .namesakesAnswer, .olderCall, .lastingAnswer, .secondAnswer, .deafToCancel,
            .strangersPermission:
            [.freedom]
        case .handedTwice, .acceptedPrompt, .promptAgain, .retypedPrompt: [.steering]
        // Depends on whether a key or Enter comes first.
        case .unseenDialog: [.freedom, .steering]
        case .unheardStop: [.status]
        // If no other push came before it, nothing is out of order, and the card stays wrong.
        case .backdatedPush: [.order, .edge]
        case .restlessCard: [.order]
        // The swallowed push may have been for an approval, which is missed at once; in the end the card is wrong.
        case .swallowedPush: [.edge, .phase]
        case .swallowedCrossing: [.crossing]
        case .sleepingCards: [.edge, .phase]
        case .boastfulPhone: [.reserve]
        case .unheardPresence: [.presence]
        case .forgetfulOutbox: [.ring]
        case .doubleStart: [.start]
        case .swappedCode: [.code]
        case .keptChannel: [.channel]
        case .hastyCard: [.pace]
        case .boldNotification: [.browser]
        // The relay rings a browser that is gone, and nobody hears it.
        case .unheardGoodbye: [.browser, .ring]
        case .impatientDigest, .sleepingDigest: [.gathering]
        case .unsignedRule, .repeatedRule, .unsignedDecision, .unsignedCommand, .uncheckedSignature, .skippedPasskey,
            .strangersSignature, .formerDevice,
            .exceededRights,
            .otherHost, .otherSession, .otherApproval, .otherShown, .otherDigest, .otherVerdict, .otherDetail, .otherCommand,
            .otherText, .oldCount, .forgottenCount, .uncheckedVouch, .vouchWithoutRight, .otherHostsVouch,
            .distrustWithoutRight,
            .uncheckedRoll, .olderRoll:
            [.consent]
        // In the log it is what no host wrote.
        case .misboundEvent: [.sealing, .completeness]
        case .reusedNonce, .reusedNumber, .staleEpoch, .formerReader, .earlierHistory, .openHead, .unkeptKey,
            .forgottenEpoch, .openWords, .ignoredHole, .shownRepeat, .shownForgery:
            [.sealing]
        }
    }
}
