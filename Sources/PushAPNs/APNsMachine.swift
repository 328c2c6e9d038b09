internal import ChannelAPNs
internal import HeliographHTTP2
internal import HeliographPlatform
internal import RelayProtocol

/// Every decision of the client: the lane for a request, the environment of its token, the provider token to use.
///
/// Pure: `APNsDriver` carries out the effects.
struct APNsMachine {
    /// Names a connection: one service of an environment, for one team.
    struct LaneID: Hashable, Sendable {
        var service: APNsService
        var environment: PushEnvironment
        var teamID: String
    }

    enum Input {
        /// `number` has not been used before.
        case submitted(number: Int, APNsRequest)
        case lane(LaneID, LaneMachine.Input)
        /// `digest` identifies the key that was read.
        case keyRead(APNsKeyID, digest: String)
        case keyFailed(APNsKeyID, String)
        case minted(APNsKeyID, String)
        /// A token of an earlier run, signed by the key that was read last.
        case tokenRestored(APNsKeyID, String, issuedAt: Int64)
        case timePassed
        /// This request is not to be sent or repeated.
        case withdrawn(number: Int)
        /// Another client replaces this one: requests that have not left are returned.
        case replaced
        case stopped
    }

    enum Effect: Equatable {
        case connect(LaneID, generation: Int)
        case close(LaneID, generation: Int)
        case drop(LaneID, generation: Int)
        case ping(LaneID, generation: Int)
        case send(LaneID, LaneRequest, generation: Int, token: String, deadline: MonotonicTime)
        case mint(APNsKeyID, issuedAt: Int64)
        case readKey(APNsKeyID)
        case finish(number: Int, APNsOutcome)
    }

    /// Lanes, in the order in which they were first needed.
    private(set) var lanes: [(id: LaneID, key: APNsKeyID, machine: LaneMachine)] = []
    private var tokens: [APNsKeyID: ProviderTokenMachine] = [:]
    private let keys: [APNsTeam]
    private let limits: APNsLimits
    private var dice: Dice
    /// Requests that are tried in the other environment after a BadDeviceToken, with the first outcome.
    private var secondTries: [Int: APNsOutcome] = [:]
    /// Environments found by trying, by device token.
    private var environments: [String: PushEnvironment] = [:]
    /// The same tokens, oldest first.
    private var environmentsByAge: [String] = []
    private var isReplaced = false

    init(teams: [APNsTeam], limits: APNsLimits = APNsLimits(), seed: UInt64) {
        keys = teams
        self.limits = limits
        dice = Dice(seed: seed)
        for team in teams {
            for key in team.keys.values { tokens[key.id] = ProviderTokenMachine() }
        }
    }

    /// When `timePassed` is due.
    var wakeAt: MonotonicTime? {
        var first: MonotonicTime?
        for index in lanes.indices {
            guard let due = lanes[index].machine.wakeAt else { continue }
            first = min(first ?? due, due)
        }
        return first
    }

    func token(of key: APNsKeyID) -> ProviderTokenMachine.Token? { tokens[key]?.token }

    mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .submitted(let number, let request): submitted(number, request, now, &effects)
        case .lane(let id, let input):
            if let index = index(of: id) { run(index, input, now, &effects) }
        case .keyRead(let key, let digest):
            guard tokens[key]?.key != digest else { break }
            tokens[key]?.keyRead(digest)
            for index in lanes.indices where lanes[index].key == key { run(index, .keyChanged, now, &effects) }
        case .keyFailed(let key, let sentence): tokens[key]?.keyFailed(sentence)
        case .minted(let key, let text):
            tokens[key]?.minted(text, at: now, dice: dice.next())
            for index in lanes.indices where lanes[index].key == key { run(index, .tokenMinted, now, &effects) }
        case .tokenRestored(let key, let text, let issuedAt): tokens[key]?.restored(text, issuedAt: issuedAt, at: now)
        case .timePassed:
            for index in lanes.indices {
                if let due = lanes[index].machine.wakeAt, due <= now.instant { run(index, .timePassed, now, &effects) }
            }
        case .withdrawn(let number):
            for index in lanes.indices { run(index, .withdrawn(number), now, &effects) }
        case .replaced:
            isReplaced = true
            for index in lanes.indices { run(index, .replaced, now, &effects) }
        case .stopped:
            for index in lanes.indices { run(index, .stopped, now, &effects) }
        }
        return effects
    }

    // MARK: Requests

    private mutating func submitted(_ number: Int, _ request: APNsRequest, _ now: Moment, _ effects: inout [Effect]) {
        let found = request.isEnvironmentProven ? nil : request.deviceToken.flatMap { environments[$0] }
        let environment = found ?? request.environment
        submit(
            LaneRequest(number: number, request: request, until: now.instant + request.patience), to: environment, now,
            &effects)
    }

    private mutating func submit(
        _ request: LaneRequest, to environment: PushEnvironment, _ now: Moment, _ effects: inout [Effect]
    ) {
        let id = LaneID(service: request.request.service, environment: environment, teamID: request.request.teamID)
        if isReplaced { return finish(request, .notSent(.replaced), environment, now, &effects) }
        if let index = index(of: id) { return run(index, .submitted(request), now, &effects) }
        guard let key = keys.first(where: { $0.teamID == id.teamID })?.keys[environment]?.id else {
            let obstacle = APNsObstacle.noKey("no key is configured for team \(id.teamID) in the \(environment) environment")
            return finish(request, .notSent(obstacle), environment, now, &effects)
        }
        lanes.append((id, key, LaneMachine(limits: limits, seed: UInt64(dice.next() * Double(1 << 53)))))
        run(lanes.endIndex - 1, .submitted(request), now, &effects)
    }

    /// A linear search: there are few lanes, and comparing costs less than a hash.
    private func index(of id: LaneID) -> Int? {
        for index in lanes.indices where lanes[index].id == id { return index }
        return nil
    }

    private mutating func finish(
        _ request: LaneRequest, _ result: APNsOutcome.Result, _ environment: PushEnvironment, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        let outcome = APNsOutcome(result: result, environment: environment, attempts: request.attempts)
        if let first = secondTries.removeValue(forKey: request.number), result != .notSent(.replaced) {
            if case .accepted = result, let device = request.request.deviceToken {
                remember(device, environment)
                return effects.append(.finish(number: request.number, outcome))
            }
            // The other environment refused it as well, or could not be asked: the first outcome counts.
            return effects.append(.finish(number: request.number, first))
        }
        if isWorthOtherEnvironment(request, result, environment) {
            // An environment found before no longer holds: an app that was reinstalled from elsewhere may have another.
            forget(request.request.deviceToken)
            secondTries[request.number] = outcome
            var again = request
            (again.refusal, again.uncertainty, again.isTokenRenewed, again.attempts) = (nil, nil, false, 0)
            return submit(again, to: environment.other, now, &effects)
        }
        effects.append(.finish(number: request.number, outcome))
    }

    // MARK: Environments

    /// A token that was never accepted may belong to an app from Xcode that registered as one from the store, or the reverse.
    private func isWorthOtherEnvironment(
        _ request: LaneRequest, _ result: APNsOutcome.Result, _ environment: PushEnvironment
    ) -> Bool {
        guard !request.isWithdrawn, case .refused(_, .badDeviceToken, _, _) = result else { return false }
        return !request.request.isEnvironmentProven
            && keys.first { $0.teamID == request.request.teamID }?.keys[environment.other] != nil
    }

    private mutating func forget(_ device: String?) {
        guard let device, environments.removeValue(forKey: device) != nil else { return }
        environmentsByAge.removeAll { $0 == device }
    }

    private mutating func remember(_ device: String, _ environment: PushEnvironment) {
        if environments.updateValue(environment, forKey: device) == nil { environmentsByAge.append(device) }
        if environmentsByAge.count > limits.environmentsMax { environments[environmentsByAge.removeFirst()] = nil }
    }

    // MARK: Lanes

    private mutating func run(_ index: Int, _ input: LaneMachine.Input, _ now: Moment, _ effects: inout [Effect]) {
        let (id, key) = (lanes[index].id, lanes[index].key)
        for effect in lanes[index].machine.handle(input, &tokens[key]!, at: now) {
            switch effect {
            case .connect(let generation): effects.append(.connect(id, generation: generation))
            case .close(let generation): effects.append(.close(id, generation: generation))
            case .drop(let generation): effects.append(.drop(id, generation: generation))
            case .ping(let generation): effects.append(.ping(id, generation: generation))
            case .send(let request, let generation, let token, let deadline):
                effects.append(.send(id, request, generation: generation, token: token, deadline: deadline))
            case .mint(let issuedAt): effects.append(.mint(key, issuedAt: issuedAt))
            case .readKey: effects.append(.readKey(key))
            case .finish(let request, let result): finish(request, result, id.environment, now, &effects)
            }
        }
    }
}
