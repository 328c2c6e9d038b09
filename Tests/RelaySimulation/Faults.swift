/// Faults of one run, and their rates: a random subset of all faults, each at a rate of its own ("swarm testing"), because faults that
/// are always present hide bugs that only show without them.
package struct Faults: Sendable, Equatable {
    /// Probabilities per message.
    package var delay = 0.0
    package var cut = 0.0
    package var silence = 0.0
    /// Probabilities per effect of the relay, and of a host.
    package var relayCrash = 0.0
    package var hostCrash = 0.0
    /// For each crash of a host: the probability that the whole machine loses power, and with it the bytes that were not
    /// synchronized.
    package var powerLoss = 0.0
    /// Probabilities per commit of the relay.
    package var slowCommit = 0.0
    package var refusedCommit = 0.0
    /// The disk reports an error, and has the batch or lacks it.
    package var unclearCommit = 0.0
    /// The disk reports an error, and so does each further attempt, until the relay reads the disk again.
    package var fatalCommit = 0.0
    package var failedRead = 0.0
    /// Probabilities per write of a host's spool.
    package var failedWrite = 0.0
    package var tornWrite = 0.0
    package var failedSync = 0.0
    /// Probabilities per second.
    package var clockJump = 0.0
    package var agentRestart = 0.0
    package var diskFull = 0.0
    package var stall = 0.0
    package var restlessClient = 0.0
    /// Probabilities per decision.
    package var wrongDigest = 0.0
    package var resentDecision = 0.0
    /// Per decision that reaches a host: it is also sent for another question.
    package var strayDecision = 0.0
    /// Probabilities per push: APNs' answer, and what it does with accepted pushes.
    package var refusedPush = 0.0
    package var unknownPush = 0.0
    package var unsentPush = 0.0
    package var latePush = 0.0
    package var lostPush = 0.0
    package var repeatedPush = 0.0
    /// Malicious relay. Per message to a host that requires signatures: another is forged from it. Per second: an earlier one is
    /// sent again.
    package var forgery = 0.0
    package var replay = 0.0
    /// Per signature: the device was shown something else than its host sent.
    package var fooledDevice = 0.0
    /// Per second: a device is admitted at a host's terminal, or removed.
    package var distrust = 0.0
    /// Per second: a device vouches for another, ends the trust in one, or asks whom a host trusts.
    package var vouching = 0.0
    /// Per start of a host that seals: its file of keys is replaced by an older one.
    package var restoredKeys = 0.0
    /// Per event that a malicious relay sends to a device.
    package var deceit = 0.0

    package static let none = Faults()

    /// Each fault with the range its rate is drawn from.
    private static let ranges: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] = [
        (\.delay, 0.01, 0.3), (\.cut, 0.001, 0.03), (\.silence, 0.0005, 0.01),
        (\.relayCrash, 0.0005, 0.02), (\.hostCrash, 0.0005, 0.02), (\.powerLoss, 0.1, 0.9),
        (\.slowCommit, 0.01, 0.3), (\.refusedCommit, 0.01, 0.2), (\.unclearCommit, 0.01, 0.2), (\.fatalCommit, 0.002, 0.05),
        (\.failedRead, 0.01, 0.2),
        (\.failedWrite, 0.005, 0.1), (\.tornWrite, 0.005, 0.1), (\.failedSync, 0.005, 0.1),
        (\.clockJump, 0.01, 0.2), (\.agentRestart, 0.01, 0.1), (\.diskFull, 0.005, 0.05), (\.stall, 0.01, 0.1),
        (\.restlessClient, 0.02, 0.3), (\.wrongDigest, 0.05, 0.5), (\.resentDecision, 0.05, 0.5),
    ]

    /// Faults of the relay itself. They have their own random numbers, so that worlds without them stay the same.
    private static let relayRanges: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] = [
        (\.strayDecision, 0.05, 0.5)
    ]

    /// Faults drawn if there are phones. They have their own random numbers, so that worlds without phones stay the same.
    private static let pushRanges: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] = [
        (\.refusedPush, 0.01, 0.3), (\.unknownPush, 0.01, 0.2), (\.unsentPush, 0.01, 0.2), (\.latePush, 0.01, 0.3),
        (\.lostPush, 0.01, 0.3), (\.repeatedPush, 0.01, 0.2),
    ]

    /// Faults drawn if a host requires signatures, with their own random numbers; the first two in every second world.
    private static let consentRanges: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] = [
        (\.forgery, 0.05, 0.5), (\.replay, 0.05, 0.5), (\.fooledDevice, 0.02, 0.3), (\.distrust, 0.01, 0.1),
    ]

    /// Faults drawn if a host requires signatures, with their own random numbers.
    private static let vouchingRanges: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] = [
        (\.vouching, 0.02, 0.3)
    ]

    /// Faults drawn if a host seals, with their own random numbers.
    private static let sealingRanges: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] = [
        (\.restoredKeys, 0.1, 0.7), (\.deceit, 0.02, 0.3),
    ]

    private static var all: [(fault: any WritableKeyPath<Faults, Double> & Sendable, low: Double, high: Double)] {
        ranges + relayRanges + pushRanges + consentRanges + vouchingRanges + sealingRanges
    }

    package static var count: Int { all.count }

    package static func drawn(by dice: inout Dice) -> Faults {
        var faults = Faults()
        for range in ranges where dice.chance(0.4) { faults[keyPath: range.fault] = dice.spread(range.low, range.high) }
        return faults
    }

    package mutating func drawErrors(by dice: inout Dice) {
        for range in Self.relayRanges where dice.chance(0.4) { self[keyPath: range.fault] = dice.spread(range.low, range.high) }
    }

    package mutating func drawPushes(by dice: inout Dice) {
        for range in Self.pushRanges where dice.chance(0.4) { self[keyPath: range.fault] = dice.spread(range.low, range.high) }
    }

    /// `isPlanted`: draw all of them, because a host's planted fault shows only if its relay is malicious.
    package mutating func drawConsent(by dice: inout Dice, isPlanted: Bool) {
        for range in Self.consentRanges where isPlanted || dice.chance(0.7) {
            self[keyPath: range.fault] = dice.spread(range.low, range.high)
        }
        if !isPlanted, dice.chance(0.5) { (forgery, replay) = (0, 0) }
    }

    package mutating func drawVouching(by dice: inout Dice, isPlanted: Bool) {
        for range in Self.vouchingRanges where isPlanted || dice.chance(0.5) {
            self[keyPath: range.fault] = dice.spread(range.low, range.high)
        }
    }

    /// `isPlanted`: draw all of them.
    package mutating func drawSealing(by dice: inout Dice, isPlanted: Bool) {
        for range in Self.sealingRanges where isPlanted || dice.chance(0.5) {
            self[keyPath: range.fault] = dice.spread(range.low, range.high)
        }
    }

    var isRelayBad: Bool { forgery > 0 || replay > 0 }

    /// The faults without the one of this number, to find out which ones a failure needs.
    package func without(_ number: Int) -> Faults {
        var fewer = self
        fewer[keyPath: Self.all[number].fault] = 0
        return fewer
    }
}
