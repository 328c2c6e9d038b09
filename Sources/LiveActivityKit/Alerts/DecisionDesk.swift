import Foundation

/// Carries out decisions made with buttons of cards and alerts. It runs in the app's process and uses the code of the approval's
/// alert.
///
/// Set it up before the app's launch has finished: a button may have launched it.
public final class DecisionDesk: Sendable {
    public static let shared = DecisionDesk()

    /// Alerts that the system still holds.
    public protocol Codes: Sendable {
        /// The code of the alert of this approval; nil if there is none.
        func code(of approval: String) async -> String?
    }

    public enum Outcome: Sendable, Hashable {
        case replied(DecisionReply)
        /// The approval can be decided in the app only.
        case needsApp
        case failed(LiveActivityError)

        /// A sentence for the person, in the app's language; nil if the decision succeeded.
        public var trouble: String? { trouble(KitLanguage.words()) }

        func trouble(_ words: any KitWords) -> String? {
            switch self {
            case .replied(.stands): nil
            case .replied(let reply): reply.sentence(words)
            case .needsApp: words.openToDecide
            case .failed(let error):
                switch error.code {
                // The decision may have arrived, and only the answer been lost.
                case .unreachable, .busy: words.unreachable
                case .unauthorised, .keychain: words.unknownPhone
                case .notFound: words.decidedAlready
                default: words.notDecided
                }
            }
        }
    }

    /// Informs the person of an unwanted outcome.
    public typealias Tell = @Sendable (_ sentence: String, _ approval: String) async -> Void

    private struct Setup {
        var reporter: any RelayReporting
        var codes: any Codes
        var signer: (any DecisionSigning)?
        var tell: Tell
    }

    /// Pause before asking again: a relay that is being restarted, or whose workspace another node takes over, is ready by then. With two
    /// waits for an answer (`URLSessionExchange.requestSeconds`) it stays below the 30 s that the system gives an app that was woken in
    /// the background.
    static let askAgainAfter = Duration.seconds(2)

    private let setup = Locked<Setup?>(nil)
    private let pause: @Sendable (Duration) async -> Void

    /// A cancelled wait counts as finished.
    public convenience init() { self.init { try? await Task.sleep(for: $0) } }

    init(pause: @escaping @Sendable (Duration) async -> Void) { self.pause = pause }

    /// Without `signer`, a host that takes only signed decisions refuses what buttons allow.
    public func setUp(
        reporter: any RelayReporting, codes: any Codes, signer: (any DecisionSigning)? = nil, tell: @escaping Tell
    ) {
        setup.set(Setup(reporter: reporter, codes: codes, signer: signer, tell: tell))
    }

    /// For a button of a card: decides, and notifies the person if that failed.
    public func press(_ verdict: Verdict, approval: String) async {
        await report(await decide(verdict, approval: approval), approval)
    }

    /// Call this after a tap on an alert. Returns the view that the app should show; nil: none.
    public func carryOut(_ response: AlertResponse) async -> DeepLink? {
        switch response {
        case .open(let link): return link
        case .decide(let verdict, let payload, let shown):
            guard let approval = payload.approval else { return payload.link }
            let outcome = await decide(
                verdict, approval: approval, code: payload.code, shown: shown)
            await report(outcome, approval)
            return nil
        }
    }

    private func report(_ outcome: Outcome, _ approval: String) async {
        guard let trouble = outcome.trouble, let setup = setup.get() else { return }
        await setup.tell(trouble, approval)
    }

    /// `code`: pass it if it is at hand. `shown`: the words of the alert whose button it was.
    public func decide(
        _ verdict: Verdict, approval: String, code: String? = nil, shown: ShownAlert? = nil
    ) async -> Outcome {
        guard let setup = setup.get() else {
            return .failed(LiveActivityError(.unsupported, "the app has not set up DecisionDesk"))
        }
        var found = code
        if found == nil { found = await setup.codes.code(of: approval) }
        guard let code = found else { return .needsApp }
        var signature: String?
        switch await setup.signer?.proof(of: verdict, approval: approval, shown: shown) {
        case .needsApp: return .needsApp
        case .signed(let text): signature = text
        case .notNeeded, nil: break
        }
        do throws(LiveActivityError) {
            do throws(LiveActivityError) {
                return .replied(try await setup.reporter.decide(verdict, code: code, signature: signature))
            } catch {
                // The decision may have arrived, or the relay was busy: a code decides once, and asking again returns the state.
                guard error.code == .unreachable || error.code == .busy else { throw error }
                await pause(Self.askAgainAfter)
                return .replied(try await setup.reporter.decide(verdict, code: code, signature: signature))
            }
        } catch { return .failed(error) }
    }
}
