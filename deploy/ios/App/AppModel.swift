import Foundation
import Kit
import SwiftUI
import UIKit
import UserNotifications

/// What the views show, and what they may do.
@MainActor @Observable final class AppModel {
    /// Half seconds in which the relay hears that this phone leaves.
    private static let leavingTriesMax = 20

    private(set) var state = RelayState()
    private(set) var isPaired = false
    /// What the person chose, and the alert token once the system gave one: that may be before the app is paired.
    private(set) var device: DeviceRegistration
    var trouble: String?
    /// Sessions from the list on.
    var path: [String] = []
    var showsSettings = false

    /// Whom this phone signs for.
    private(set) var hosts: [TrustedHost] = []
    /// The code that a host's terminal shows as well, once this phone has keys.
    private(set) var code: String?

    private let keychain = Keychain.ofApp
    private let trust = DeviceTrust(keychain: .ofApp)
    private var client: RelayClient?
    private var manager: LiveActivityManager?
    private var follower = CardFollower()
    private var isForeground = false
    private var tasks: [Task<Void, Never>] = []

    init() {
        let kept = UserDefaults.standard.data(forKey: "device").flatMap {
            try? JSONDecoder().decode(DeviceRegistration.self, from: $0)
        }
        // The sandbox is where Xcode's own builds get their pushes from.
        device =
            kept
            ?? DeviceRegistration(
                device: UUID().uuidString, name: UIDevice.current.name, environment: .sandbox,
                system: UIDevice.current.systemVersion)!
        device.system = UIDevice.current.systemVersion
        device.language = Bundle.main.preferredLocalizations.first
        guard kept == nil else { return }
        // Only with the full text does an alert offer to allow.
        device.text = .full
        device.starts = .always
        keep()
    }

    /// With the relay that the app was paired with, if it was.
    func resume() {
        guard client == nil, let relay = UserDefaults.standard.url(forKey: "relay") else { return }
        do { try begin(relay) } catch { report(error) }
    }

    func pair(_ scanned: String) async {
        do {
            let pairing = try await PairingLink(scanned).redeem(name: UIDevice.current.name, exchange: URLSessionExchange())
            try keychain.setToken(pairing.token)
            try keychain.setRelay(pairing.relay)
            UserDefaults.standard.set(pairing.relay, forKey: "relay")
            end()
            try begin(pairing.relay)
            await manager?.signedIn()
            await manager?.setForeground(isForeground)
            await client?.setForeground(isForeground)
            let options: UNAuthorizationOptions = [.alert, .sound, .badge, .providesAppNotificationSettings]
            _ = try await UNUserNotificationCenter.current().requestAuthorization(options: options)
            // A link from the relay's own machine is for the hosts there, too.
            if try TrustLink(ifIn: scanned) != nil { _ = await trust(scanned, isNeeded: false) }
        } catch { report(error) }
    }

    /// By the link of a host's terminal, or of a device that brings this one. False: the person was told why not. `isNeeded`: there may be
    /// no host that wants it.
    func trust(_ scanned: String, isNeeded: Bool = true) async -> Bool {
        do {
            // The person compares it with the other screen's meanwhile.
            code = try trust.codeToJoin()
            _ = try await client?.trust(TrustLink(scanned), as: UIDevice.current.name)
            hosts = try trust.hosts()
            return true
        } catch {
            if isNeeded || error.code != .notFound { report(error) }
            return false
        }
    }

    func read(_ device: TrustedDevice) async { await client?.read(device) }

    func distrust(_ device: TrustedDevice) async {
        do { try await client?.distrust(device) } catch { report(error) }
    }

    /// True if it is on its way to the host.
    func prompt(_ text: String, _ session: String) async -> Bool {
        do {
            try await client?.prompt(text, to: session)
            return true
        } catch {
            report(error)
            return false
        }
    }

    /// Ends the cards, and has the relay forget this phone before the token goes.
    func signOut() async {
        guard let manager else { return }
        await client?.setForeground(false)
        await manager.signOut()
        for _ in 0..<Self.leavingTriesMax where await !manager.isForgotten { try? await Task.sleep(for: .milliseconds(500)) }
        if await !manager.isForgotten {
            trouble = NSLocalizedString(
                "The relay could not be told. On its machine “heliograph devices” lists this phone, and removes it.",
                comment: "After signing out")
        }
        end()
        UserDefaults.standard.removeObject(forKey: "relay")
        do {
            try keychain.removeAll()
            try trust.removeAll()
        } catch { report(error) }
        (hosts, code) = ([], nil)
    }

    func setForeground(_ isForeground: Bool) async {
        self.isForeground = isForeground
        // What the person lets be shown on the Lock Screen may have changed.
        if isForeground { AlertCategory.register() }
        await manager?.setForeground(isForeground)
        await client?.setForeground(isForeground)
    }

    func show(_ session: String?) async { await client?.show(session: session) }

    func seen(_ approval: PendingApproval) async { await client?.seen(approval) }

    func open(_ link: DeepLink) { path = [link.session] }

    /// Nil: it is not of a relay.
    func isOnScreen(_ payload: AlertPayload?) -> Bool {
        guard state.link == .live, let session = payload?.session else { return false }
        return path.last == session
    }

    /// The system gives it at each launch, the first time before there is a relay to tell.
    func register(alertToken: Data) async {
        device.alertToken = alertToken.hexadecimal
        await manager?.register(alertToken: alertToken)
    }

    func change(_ body: (inout DeviceRegistration) -> Void) async {
        body(&device)
        do { device.sealKey = device.text == .sealed ? try keychain.sealKey().base64EncodedString() : nil } catch {
            report(error)
        }
        keep()
        await manager?.change(device)
    }

    /// A card for this session, whatever the settings start by themselves.
    func wantCard(of session: String) async {
        follower.want(session)
        await follow(state)
    }

    func decide(_ approval: PendingApproval, _ verdict: Verdict) async {
        do {
            if case .refused(let code, let message, let winner)? = try await client?.decide(approval, verdict) {
                trouble = DecisionReply.refused(code: code, message: message, winner: winner).sentence
            }
        } catch { report(error) }
    }

    private func keep() { UserDefaults.standard.set(try? JSONEncoder().encode(device), forKey: "device") }

    private func report(_ error: any Error) {
        trouble = (error as? LiveActivityError)?.message ?? error.localizedDescription
    }

    private func end() {
        for task in tasks { task.cancel() }
        (tasks, client, manager) = ([], nil, nil)
        (state, isPaired, follower) = (RelayState(), false, CardFollower())
    }

    private func begin(_ relay: URL) throws {
        let reporter = try HTTPRelayReporter(relay: relay, credentials: keychain, exchange: URLSessionExchange())
        DecisionDesk.shared.setUp(
            reporter: reporter, signer: try SignedAlerts(relay: relay, credentials: keychain, trust: trust))
        let client = try RelayClient(
            relay: relay, credentials: keychain, device: device.device, software: "sample/1", trust: trust)
        // The keychain is closed until the phone was unlocked for the first time.
        (hosts, code) = ((try? trust.hosts()) ?? [], try? trust.code())
        let folder = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        let manager = LiveActivityManager(
            device: device, reporter: reporter, store: LifecycleFile(folder.appending(path: "cards.json")),
            onTrouble: { trouble in Task { @MainActor [weak self] in self?.trouble = trouble.message } })
        (self.client, self.manager, isPaired) = (client, manager, true)
        tasks = [
            Task { await manager.run() },
            Task { [weak self] in for await state in client.states { await self?.follow(state) } },
        ]
    }

    /// The relay sends a phone whose app is open no pushes: its cards are the app's until then.
    private func follow(_ state: RelayState) async {
        if let trouble = state.trouble, trouble != self.state.trouble { self.trouble = trouble }
        self.state = state
        guard isForeground, let manager else { return }
        let cards = await manager.sessionsWithCards
        for order in follower.follow(state, for: device, cards: cards, at: .now) {
            do { try await manager.carryOut(order) } catch {
                // The person wants no cards, or left.
                if error.code != .disabled, error.code != .notForeground { trouble = error.message }
            }
        }
    }
}

extension Keychain {
    /// Shared with the notification service, which opens sealed alerts: the group of the entitlements, with the team's prefix.
    static var ofApp: Keychain { Keychain(group: Bundle.main.object(forInfoDictionaryKey: "KeychainGroup") as? String) }
}
