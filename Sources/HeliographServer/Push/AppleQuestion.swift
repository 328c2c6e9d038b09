import ChannelAPNs
import Foundation
import PushAPNs
import PushPlanner
import RelayProtocol

/// Tests the keys at Apple with a push to a device that does not exist: the answer `BadDeviceToken` means that everything else was
/// right.
enum AppleQuestion {
    /// Limit of tests: Apple regards many invalid tokens as an attack.
    static let countMax = 20
    /// Time limit for all answers, which are requested at the same time; the command line waits for twenty seconds.
    private static let patience = Duration.seconds(15)
    /// A device token of the usual length that belongs to no device.
    private static let nobody = String(repeating: "0", count: 64)

    struct Verdict: Equatable, Sendable {
        var team: String
        var environment: String
        var bundle: String
        /// Apple's reason for refusing us; nil if it accepts us.
        var refusal: String?
        /// Reason why Apple's answer is unknown; a sentence.
        var trouble: String?
    }

    /// Tests each combination of team, environment and app, up to `countMax`.
    static func ask(_ configuration: PushConfiguration, _ sender: any PushSender) async -> [Verdict] {
        await withTaskGroup(of: (Int, Verdict).self) { group in
            for (index, request) in requests(configuration).prefix(countMax).enumerated() {
                group.addTask {
                    let outcome = await withCheckedContinuation { continuation in
                        sender.submit(request) { continuation.resume(returning: $0) }
                    }
                    return (index, Verdict(request, outcome))
                }
            }
            var answers: [(Int, Verdict)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map { $0.1 }
        }
    }

    private static func requests(_ configuration: PushConfiguration) -> [APNsRequest] {
        configuration.teams.flatMap { team in
            team.environments.flatMap { environment in
                team.bundles.map { bundle in
                    var request = APNsRequest(
                        teamID: team.team, environment: environment, target: .device(token: nobody),
                        id: UUID().uuidString.lowercased())
                    // Otherwise the driver would try the other environment after a refusal.
                    request.isEnvironmentProven = true
                    request.topic = bundle
                    request.pushType = "alert"
                    request.priority = 5
                    request.expiration = 0
                    request.payload = Array(#"{"aps":{"alert":"Heliograph asks whether its key is right"}}"#.utf8)
                    request.isHarmlessToRepeat = true
                    request.patience = patience
                    return request
                }
            }
        }
    }

    static func bytes(_ answers: [Verdict]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.array(
                "answers",
                answers.map { answer in
                    JSONWriter.object { writer in
                        writer.field("team", answer.team)
                        writer.field("environment", answer.environment)
                        writer.field("bundle", answer.bundle)
                        writer.field("refusal", answer.refusal)
                        writer.field("trouble", answer.trouble)
                    }
                })
        }
    }

    static func answers(in bytes: [UInt8]) throws(WireError) -> [Verdict] {
        var answers: [Verdict] = []
        for entry in try JSONDocument(parsing: bytes).root.object().array("answers", countMax: countMax) {
            answers.append(
                Verdict(
                    team: try entry.string("team"), environment: try entry.string("environment"),
                    bundle: try entry.string("bundle"),
                    refusal: try entry.optionalString("refusal"), trouble: try entry.optionalString("trouble")))
        }
        return answers
    }
}

extension AppleQuestion.Verdict {
    init(_ request: APNsRequest, _ outcome: APNsOutcome) {
        (team, environment, bundle) = (request.teamID, request.environment.rawValue, request.topic ?? "")
        switch outcome.result {
        case .accepted, .refused(_, .badDeviceToken?, _, _), .refused(_, .unregistered?, _, _): break
        case .refused(_, _, let text, .fixCredentials), .refused(_, _, let text, .markProfile): refusal = text
        case .refused(_, .tooManyProviderTokenUpdates?, let text, _): refusal = text
        case .refused(let status, _, let text, _): trouble = "Apple answered \(status) \(text)"
        case .notSent(.breakerOpen(let reason?)): refusal = reason.rawValue
        case .unknown, .notSent: trouble = PushOutcome(outcome).text
        }
    }
}
