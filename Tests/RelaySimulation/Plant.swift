/// A planted fault that must be caught: the world breaks a promise, and the checker for it has to notice.
package enum Plant: String, Sendable, CaseIterable {
    /// The disk answers before it has the batch.
    case answerBeforeDurable
    /// The relay treats a commit in doubt as stored.
    case hastyCommit
    /// The relay treats a commit in doubt as not stored.
    case carelessRefusal
    /// The relay continues with its memory although it does not know what is on disk.
    case stubbornCore
    /// The relay reads its disk again before the last commit has ended.
    case earlyLoad
    /// A relay that reads its disk again does not disconnect its peers.
    case unheardSuspension
    /// One event of a message to a client is missing.
    case droppedEvent
    /// A client gets the reply that its decision counts although another won.
    case twoWinners
    /// An agent treats a denial as an allow.
    case deafAgent
    /// A desk confuses a hook with an earlier one that asked the same.
    case strangersAnswer
    /// A desk does not compare the digest of a decision with that of the input.
    case carelessDigest
    /// A desk treats a plain allow as the choice of an agent's offer.
    case eagerOffer
    /// A desk answers an ended question.
    case lateAnswer
    /// A desk gives an answer to a later hook that asks the same.
    case repeatedAnswer
    /// A desk gives an answer although the disk refused it.
    case unrecordedAnswer
    /// A desk reports another end of an approval that has ended.
    case secondEnd
    /// A change of an approval does not reach a client.
    case unheardApproval
    /// The relay does not learn of peers that have left.
    case ghosts
    /// The log forgets an approval at a start.
    case forgetfulLog
    /// A host does not reconnect.
    case absentHost
    /// A host's spool loses an event that it took.
    case leakySpool
    /// The log forgets the last position of a removed session.
    case forgottenPlace
    /// Events that were trimmed are skipped without a notice.
    case silentTrim
    /// The log forgets a day's spending at a start.
    case forgottenSpending
    /// The relay starts without the rows of costs.
    case forgottenCosts
    /// A host does not receive the holds.
    case deafHost
    /// An adapter gives its agent a prompt twice.
    case repeatedPrompt
    /// An adapter reports that its agent is idle while that asks.
    case hastyPrompt
    /// A host does not learn for which commands the relay waits.
    case unheardOutstanding
    /// A host forgets the ends that it has reported at a start.
    case forgottenEnds
    /// An adapter reports that a prompt was refused although the agent took it.
    case deniedPrompt
    /// An adapter starts a session twice.
    case repeatedStart
    /// A host does not check that a project is still the folder that was allowed.
    case strayStart
    /// The relay lets every client steer.
    case trustingRelay
    /// Codex gets another answer to a request that it has closed.
    case answeredAgain
    /// The adapter treats a prompt that Codex accepted as one that it has read.
    case acceptedPrompt
    /// Claude's adapter confuses the hook of a call with that of an older one with the same input.
    case olderCall
    /// Claude's adapter does not receive the end of a turn.
    case unheardStop
    /// A program gets a command twice, once for each open request.
    case handedTwice
    /// A program gets the answer to an earlier question of the same text.
    case namesakesAnswer
    /// The proxy answers an agent of the Agent Client Protocol with the lasting option instead of a plain yes.
    case lastingAnswer
    /// The proxy forwards a decision, and the editor's own answer as well.
    case secondAnswer
    /// `heliograph run` writes a prompt again when its daemon is back.
    case promptAgain
    /// `heliograph run` ignores that its agent has withdrawn a question.
    case deafToCancel
    /// `heliograph run` allows a question other than the answered one.
    case strangersPermission
    /// `heliograph claude` mistakes a dialog for the input line.
    case unseenDialog
    /// `heliograph claude` types a prompt again if nothing has shown that it was taken.
    case retypedPrompt
    /// A push to a card carries an older time than the one before.
    case backdatedPush
    /// A card is sent a push after its end.
    case restlessCard
    /// A push counts as sent, but never was.
    case swallowedPush
    /// The same for alerts about budgets.
    case swallowedCrossing
    /// Timers of cards do not fire.
    case sleepingCards
    /// The relay treats every phone as one with frequent pushes.
    case boastfulPhone
    /// The relay does not learn that the person is looking at the phone.
    case unheardPresence
    /// The log forgets which pushes have rung at a start.
    case forgetfulOutbox
    /// Every start of a card is ordered twice.
    case doubleStart
    /// A notification presents the code of another.
    case swappedCode
    /// APNs reports that it has deleted a channel, but keeps it.
    case keptChannel
    /// Every push to a card is sent twenty times.
    case hastyCard
    /// A browser's notification offers to allow input that it does not show in full.
    case boldNotification
    /// The relay does not learn that a browser's subscription is gone.
    case unheardGoodbye
    /// The relay treats devices that want one digest for everything that needs no answer like others.
    case impatientDigest
    /// The relay rings for the projects that a person has muted.
    case loudProject
    /// The relay holds approvals with risks back in quiet hours although the person wants them to ring.
    case silentRisk
    /// Timers of digests do not fire.
    case sleepingDigest
    /// A host applies a file of rules that its owner has not accepted.
    case unacceptedRules
    /// A host continues with the rules that it knew while their file is unreadable.
    case unreadRules
    /// A host forgets which rules were taken back at a start.
    case forgottenRuleOff
    /// A host keeps a rule that was taken back from afar.
    case keptRule
    /// A host that asks for signatures takes a change of its rules without one.
    case unsignedRule
    /// A host takes a change of its rules again.
    case repeatedRule
    /// A host that requires signatures accepts a decision without one.
    case unsignedDecision
    /// The same for prompts and starts.
    case unsignedCommand
    /// A host does not verify a signature.
    case uncheckedSignature
    /// A host does not check that a passkey has confirmed what its owner wants confirmed.
    case skippedPasskey
    /// A host accepts the signature of a key that it does not know.
    case strangersSignature
    /// A host accepts the signature of a device that it distrusts.
    case formerDevice
    /// A host does not check the rights of a device.
    case exceededRights
    /// A host accepts what was signed for another host, session or approval.
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
    /// A host forgets the counts of its devices at a start.
    case forgottenCount
    /// A host does not verify the signature of a vouch.
    case uncheckedVouch
    /// A host accepts the vouch of a device without that right.
    case vouchWithoutRight
    /// A host accepts a vouch that is for another host.
    case otherHostsVouch
    /// A host ends the trust in a device when one without that right asks for it.
    case distrustWithoutRight
    /// A device does not verify the sender of a list of trusted devices.
    case uncheckedRoll
    /// A device accepts the answer to an earlier request as the current list of trusted devices.
    case olderRoll
    /// A host that seals uses a nonce twice with one key.
    case reusedNonce
    /// A host seals an event with the number of the one before.
    case reusedNumber
    /// A host seals an event for another session.
    case misboundEvent
    /// A host continues with its old key after a device was removed.
    case staleEpoch
    /// A host wraps its key for a device that it no longer trusts.
    case formerReader
    /// A host wraps earlier keys for a device that may only read from now on.
    case earlierHistory
    /// The head of a sealed event has everything that an unsealed one would have.
    case openHead
    /// A host seals with a key that is not on disk.
    case unkeptKey
    /// A host forgets the numbers of its epochs.
    case forgottenEpoch
    /// A device sends its text unsealed.
    case openWords
    /// A device does not report missing events.
    case ignoredHole
    /// A device shows an earlier or late event as a new one.
    case shownRepeat
    /// A device shows an event that no host sealed.
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

    /// True for a fault of a host with rules.
    var isOfRules: Bool {
        [.unacceptedRules, .unreadRules, .forgottenRuleOff, .keptRule, .unsignedRule, .repeatedRule].contains(self)
    }

    /// True for a fault of a host that requires signatures.
    var isOfConsent: Bool { watchers == [.consent] }
    /// True for a fault of a host that seals, or of its devices.
    var isOfSealing: Bool { watchers.contains(.sealing) }

    /// The checkers that may notice it.
    package var watchers: Set<CheckerName> {
        switch self {
        case .answerBeforeDurable, .hastyCommit: [.durability]
        // If no checker notices before, the next batch contradicts the log.
        case .carelessRefusal, .stubbornCore: [.retention, .completeness]
        case .earlyLoad: [.replay, .retention]
        case .unheardSuspension: [.convergence]
        case .droppedEvent: [.view]
        case .twoWinners: [.decision]
        case .deafAgent, .carelessDigest, .unrecordedAnswer: [.freedom]
        // Without a client's choice there is no device's signature either.
        case .strangersAnswer, .eagerOffer, .lateAnswer, .repeatedAnswer, .unacceptedRules, .unreadRules, .forgottenRuleOff,
            .keptRule:
            [.freedom, .consent]
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
        // If the swallowed push was for an approval, that is missed at once; in the end the card is wrong.
        case .swallowedPush: [.edge, .phase]
        case .swallowedCrossing: [.crossing]
        case .sleepingCards: [.edge, .phase]
        case .boastfulPhone: [.reserve]
        case .unheardPresence: [.presence]
        case .forgetfulOutbox, .loudProject, .silentRisk: [.ring]
        case .doubleStart: [.start]
        case .swappedCode: [.code]
        case .keptChannel: [.channel]
        case .hastyCard: [.pace]
        case .boldNotification: [.browser]
        // The relay rings at a browser that is gone, so that nobody notices.
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
        // In the log it is an event that no host wrote.
        case .misboundEvent: [.sealing, .completeness]
        case .reusedNonce, .reusedNumber, .staleEpoch, .formerReader, .earlierHistory, .openHead, .unkeptKey,
            .forgottenEpoch, .openWords, .ignoredHole, .shownRepeat, .shownForgery:
            [.sealing]
        }
    }
}
