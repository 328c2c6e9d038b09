import ChannelAPNs
import HeliographHTTP2
import RelayProtocol
import Testing

@testable import PushAPNs

/// A machine, a clock controlled by the test, and the orders; reads as a transcript.
struct MachineTranscript {
    static let team = "TEAM567890"
    static let lane = APNsMachine.LaneID(service: .devices, environment: .production, teamID: team)
    static let sandbox = APNsMachine.LaneID(service: .devices, environment: .sandbox, teamID: team)
    static let key = APNsKeyID(teamID: team, keyID: "KEY4567890")

    var machine: APNsMachine
    var now = Moment(instant: .now, unixSeconds: 1_795_178_096)
    /// The tokens that were signed: `token1`, `token2` ….
    var mints = 0
    private var lastNumber = 0

    init(limits: APNsLimits = APNsLimits(), environments: [PushEnvironment] = PushEnvironment.allCases) {
        let key = APNsKey(teamID: Self.team, keyID: "KEY4567890", file: "unread")
        let keys = Dictionary(uniqueKeysWithValues: environments.map { ($0, key) })
        machine = APNsMachine(teams: [APNsTeam(teamID: Self.team, keys: keys)], limits: limits, seed: 7)
        _ = machine.handle(.keyRead(Self.key, digest: "key1"), at: now)
    }

    static func push(_ device: String = "aa", change: (inout APNsRequest) -> Void = { _ in }) -> APNsRequest {
        var request = APNsRequest(
            teamID: team, environment: .production, target: .device(token: device), id: "00000000-0000-0000-0000-000000000000")
        request.topic = "dev.example"
        request.pushType = "alert"
        change(&request)
        return request
    }

    /// Returns the orders; tokens are signed on the way.
    mutating func handle(_ input: APNsMachine.Input) -> [Order] {
        var orders: [Order] = []
        for effect in machine.handle(input, at: now) {
            switch effect {
            case .mint(let key, _):
                mints += 1
                orders.append(.mint)
                orders += handle(.minted(key, "token\(mints)"))
            case .readKey: orders.append(.readKey)
            case .connect(let lane, let generation): orders.append(.connect(lane.environment, generation))
            case .close(_, let generation): orders.append(.close(generation))
            case .drop(_, let generation): orders.append(.drop(generation))
            case .ping(_, let generation): orders.append(.ping(generation))
            case .send(_, let request, let generation, let token, _): orders.append(.send(request.number, generation, token))
            case .finish(let number, let outcome): orders.append(.finish(number, outcome.result, outcome.environment))
            }
        }
        return orders
    }

    enum Order: Equatable {
        case connect(PushEnvironment, Int)
        case close(Int)
        case drop(Int)
        case ping(Int)
        case send(Int, Int, String)
        case mint
        case readKey
        case finish(Int, APNsOutcome.Result, PushEnvironment)

        static func connect(_ generation: Int) -> Order { .connect(.production, generation) }
        static func finish(_ number: Int, _ result: APNsOutcome.Result) -> Order { .finish(number, result, .production) }
    }

    /// Submits a request. Numbers count from 1.
    mutating func submit(_ request: APNsRequest = push()) -> [Order] {
        lastNumber += 1
        return handle(.submitted(number: lastNumber, request))
    }

    mutating func lane(_ input: LaneMachine.Input, _ lane: APNsMachine.LaneID = lane) -> [Order] { handle(.lane(lane, input)) }

    mutating func answer(_ number: Int, _ status: Int, _ reason: APNsReason? = nil, timestamp: Int64? = nil) -> [Order] {
        lane(.answered(number, APNsAnswer(status: status, reason: reason, timestamp: timestamp)))
    }

    /// Time passes, and the machine is woken when it asked for it.
    mutating func pass(_ duration: Duration) -> [Order] {
        let end = now.instant + duration
        var orders: [Order] = []
        while let due = machine.wakeAt, due <= end {
            advance(to: max(due, now.instant))
            orders += handle(.timePassed)
        }
        advance(to: end)
        return orders
    }

    private mutating func advance(to instant: MonotonicTime) {
        // Whole seconds of both clocks together, whatever the steps.
        let start = now
        let passed = start.instant.duration(to: instant)
        fraction += passed - .seconds(passed.components.seconds)
        var seconds = passed.components.seconds
        if fraction >= .seconds(1) {
            fraction -= .seconds(1)
            seconds += 1
        }
        now = Moment(instant: instant, unixSeconds: start.unixSeconds + seconds)
    }

    private var fraction = Duration.zero

    /// Up to a connection that is open, with a limit of `streamsMax`: request 1 is answered.
    static func open(
        streamsMax: Int = 10, limits: APNsLimits = APNsLimits(), environments: [PushEnvironment] = PushEnvironment.allCases
    ) -> MachineTranscript {
        var transcript = MachineTranscript(limits: limits, environments: environments)
        #expect(transcript.submit() == [.connect(1)])
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: 1)) == [.mint, .send(1, 1, "token1")])
        #expect(transcript.answer(1, 200) == [.finish(1, .accepted(APNsAcceptance(status: 200)))])
        #expect(transcript.lane(.settingsReceived(generation: 1, streamsMax: streamsMax)) == [])
        return transcript
    }

    static let accepted = APNsOutcome.Result.accepted(APNsAcceptance(status: 200))

    static func refused(_ status: Int, _ reason: APNsReason, _ advice: PushAdvice) -> APNsOutcome.Result {
        .refused(status: status, reason, text: reason.rawValue, advice)
    }
}
