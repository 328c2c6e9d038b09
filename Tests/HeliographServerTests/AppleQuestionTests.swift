import ChannelAPNs
import PushAPNs
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite("What Apple is asked") struct AppleQuestionTests {
    /// Answers at once, depending on the environment.
    private final class Apple: PushSender {
        private let answer: @Sendable (APNsRequest) -> APNsOutcome.Result

        init(_ answer: @escaping @Sendable (APNsRequest) -> APNsOutcome.Result) { self.answer = answer }

        func submit(_ request: APNsRequest, then completion: @escaping @Sendable (APNsOutcome) -> Void) {
            completion(APNsOutcome(result: answer(request), environment: request.environment, attempts: 1))
        }

        func lanes() async -> [APNsLaneState] { [] }
        func withdraw(_ id: String) {}
        func giveBack() {}
        func stop() {}
    }

    private func ask(
        bundles: Int = 1, _ answer: @escaping @Sendable (APNsRequest) -> APNsOutcome.Result
    ) async -> [AppleQuestion.Verdict] {
        let team = PushConfiguration.Team(
            team: "ABCDE12345", key: "KEYID12345", file: "k.p8", bundles: (0..<bundles).map { "org.example.app\($0)" },
            environments: PushEnvironment.allCases)
        return await AppleQuestion.ask(PushConfiguration(teams: [team]), Apple(answer))
    }

    @Test("that there is no such device is the answer of who knows the key")
    func known() async {
        let answers = await ask { request in
            guard request.isEnvironmentProven, request.target == .device(token: String(repeating: "0", count: 64)) else {
                return .notSent(.invalidRequest)
            }
            return .refused(status: 400, .badDeviceToken, text: "BadDeviceToken", .quarantineToken)
        }
        #expect(answers.map(\.environment) == ["production", "sandbox"])
        #expect(answers.allSatisfy { $0.refusal == nil && $0.trouble == nil })
    }

    @Test("a refusal of the key is told in Apple's word, and what is none is told as not known")
    func refused() async throws {
        let answers = await ask { request in
            request.environment == .production
                ? .refused(status: 403, .invalidProviderToken, text: "InvalidProviderToken", .fixCredentials)
                : .notSent(.patienceOver("no way"))
        }
        #expect(answers.map(\.refusal) == ["InvalidProviderToken", nil])
        #expect(answers.map(\.trouble) == [nil, "it could not be sent in time: no way"])
        #expect(try AppleQuestion.answers(in: AppleQuestion.bytes(answers)) == answers)
    }

    @Test("many apps are asked of up to a limit")
    func many() async {
        #expect(await ask(bundles: 50) { _ in .accepted(APNsAcceptance(status: 200)) }.count == AppleQuestion.countMax)
    }
}
