/// Every decision of the client: which lane a request takes, which environment its token is of, whose provider token signs.
///
/// Pure: `APNsDriver` carries out the effects.
struct APNsMachine {
    /// One connection's worth: a service of an environment, for one team.
    struct LaneID: Hashable, Sendable {
        var service: APNsService
        var environment: APNsEnvironment
        var teamID: String
    }

    enum Input {
        /// `number` is new.
        case submitted(number: Int, APNsRequest)
        case lane(LaneID, LaneMachine.Input)
        /// `digest` names what was read.
        case keyRead(APNsKeyID, digest: String)
        case keyFailed(APNsKeyID, String)
        case minted(APNsKeyID, String)
        case timePassed
        case stopped
    }

    enum Effect: Equatable {
        case connect(LaneID, generation: Int)
        case close(LaneID, generation: Int)
        case drop(LaneID, generation: Int)
        case ping(LaneID, generation: Int)
        case send(LaneID, LaneRequest, generation: Int, token: String, deadline: ContinuousClock.Instant)
        case mint(APNsKeyID, issuedAt: Int64)
        case readKey(APNsKeyID)
        case finish(number: Int, APNsOutcome)
    }

    private(set) var lanes: [LaneID: LaneMachine] = [:]
    private var tokens: [APNsKeyID: ProviderTokenMachine] = [:]
    private let keys: [APNsTeam]
    private let limits: APNsLimits
    private var dice: Dice
    /// Requests that go to the other environment after a BadDeviceToken, with what the first one said.
    private var secondTries: [Int: APNsOutcome] = [:]
    /// By device token; what was found out by trying.
    private var environments: [String: APNsEnvironment] = [:]
    /// The same tokens, oldest first.
    private var environmentsByAge: [String] = []

    init(teams: [APNsTeam], limits: APNsLimits = APNsLimits(), seed: UInt64) {
        keys = teams
        self.limits = limits
        dice = Dice(seed: seed)
        for team in teams {
            for key in team.keys.values { tokens[key.id] = ProviderTokenMachine() }
        }
    }

    /// When `timePassed` is due.
    var wakeAt: ContinuousClock.Instant? { lanes.values.compactMap(\.wakeAt).min() }

    func token(of key: APNsKeyID) -> ProviderTokenMachine.Token? { tokens[key]?.token }

    mutating func handle(_ input: Input, at now: Moment) -> [Effect] {
        var effects: [Effect] = []
        switch input {
        case .submitted(let number, let request): submitted(number, request, now, &effects)
        case .lane(let id, let input): run(id, input, now, &effects)
        case .keyRead(let key, let digest):
            guard tokens[key]?.key != digest else { break }
            tokens[key]?.keyRead(digest)
            for id in lanes.keys where self.key(of: id) == key { run(id, .keyChanged, now, &effects) }
        case .keyFailed(let key, let sentence): tokens[key]?.keyFailed(sentence)
        case .minted(let key, let text):
            tokens[key]?.minted(text, at: now, dice: dice.next())
            for id in lanes.keys where self.key(of: id) == key { run(id, .tokenMinted, now, &effects) }
        case .timePassed:
            for (id, lane) in lanes {
                if let due = lane.wakeAt, due <= now.instant { run(id, .timePassed, now, &effects) }
            }
        case .stopped:
            for id in lanes.keys { run(id, .stopped, now, &effects) }
        }
        return effects
    }

    // MARK: Requests

    private mutating func submitted(_ number: Int, _ request: APNsRequest, _ now: Moment, _ effects: inout [Effect]) {
        let environment = request.deviceToken.flatMap { environments[$0] } ?? request.environment
        submit(
            LaneRequest(number: number, request: request, until: now.instant + request.patience), to: environment, now,
            &effects)
    }

    private mutating func submit(
        _ request: LaneRequest, to environment: APNsEnvironment, _ now: Moment, _ effects: inout [Effect]
    ) {
        let id = LaneID(service: request.request.service, environment: environment, teamID: request.request.teamID)
        guard key(of: id) != nil else {
            let obstacle = APNsObstacle.noKey("no key is configured for team \(id.teamID) in the \(environment) environment")
            return finish(request, .notSent(obstacle), environment, now, &effects)
        }
        if lanes[id] == nil { lanes[id] = LaneMachine(limits: limits, seed: UInt64(dice.next() * Double(1 << 53))) }
        run(id, .submitted(request), now, &effects)
    }

    private func key(of id: LaneID) -> APNsKeyID? { keys.first { $0.teamID == id.teamID }?.keys[id.environment]?.id }

    private mutating func finish(
        _ request: LaneRequest, _ result: APNsOutcome.Result, _ environment: APNsEnvironment, _ now: Moment,
        _ effects: inout [Effect]
    ) {
        let outcome = APNsOutcome(result: result, environment: environment, attempts: request.attempts)
        if let first = secondTries.removeValue(forKey: request.number) {
            if case .accepted = result, let device = request.request.deviceToken {
                remember(device, environment)
                return effects.append(.finish(number: request.number, outcome))
            }
            // The other environment knows it no better, or could not be asked: the first one's word stands.
            return effects.append(.finish(number: request.number, first))
        }
        if isWorthOtherEnvironment(request, result, environment) {
            secondTries[request.number] = outcome
            var again = request
            (again.refusal, again.uncertainty, again.isTokenRenewed, again.attempts) = (nil, nil, false, 0)
            return submit(again, to: environment.other, now, &effects)
        }
        effects.append(.finish(number: request.number, outcome))
    }

    // MARK: Environments

    /// A token that was never accepted may be of an app from Xcode that registered as one from the store, or the other way round.
    private func isWorthOtherEnvironment(
        _ request: LaneRequest, _ result: APNsOutcome.Result, _ environment: APNsEnvironment
    ) -> Bool {
        guard case .refused(_, .badDeviceToken, _, _) = result, let device = request.request.deviceToken else { return false }
        return !request.request.isEnvironmentProven && environments[device] == nil
            && keys.first { $0.teamID == request.request.teamID }?.keys[environment.other] != nil
    }

    private mutating func remember(_ device: String, _ environment: APNsEnvironment) {
        if environments.updateValue(environment, forKey: device) == nil { environmentsByAge.append(device) }
        if environmentsByAge.count > limits.environmentsMax { environments[environmentsByAge.removeFirst()] = nil }
    }

    // MARK: Lanes

    private mutating func run(_ id: LaneID, _ input: LaneMachine.Input, _ now: Moment, _ effects: inout [Effect]) {
        guard let key = key(of: id), lanes[id] != nil, tokens[key] != nil else { return }
        for effect in lanes[id]!.handle(input, &tokens[key]!, at: now) {
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
