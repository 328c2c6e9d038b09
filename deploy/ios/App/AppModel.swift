import Kit
import SwiftUI
import UserNotifications

/// What the views show, and what they may do.
@MainActor @Observable final class AppModel {
    private(set) var state = RelayState()
    private(set) var isPaired = false
    var trouble: String?
    /// Sessions from the list on.
    var path: [String] = []

    private let keychain = Keychain()
    private var client: RelayClient?
    private var manager: LiveActivityManager?
    private var isForeground = false
    private var tasks: [Task<Void, Never>] = []

    /// Made once, and kept.
    private var device: String {
        if let kept = UserDefaults.standard.string(forKey: "device") { return kept }
        let made = UUID().uuidString
        UserDefaults.standard.set(made, forKey: "device")
        return made
    }

    /// With the relay that the app was paired with, if it was.
    func resume() {
        guard client == nil, let relay = UserDefaults.standard.url(forKey: "relay") else { return }
        do { try begin(relay) } catch { trouble = "\(error)" }
    }

    func pair(_ scanned: String) async {
        do {
            let pairing = try await PairingLink(scanned).redeem(name: UIDevice.current.name, exchange: URLSessionExchange())
            try keychain.setToken(pairing.token)
            UserDefaults.standard.set(pairing.relay, forKey: "relay")
            end()
            try begin(pairing.relay)
            await manager?.signedIn()
            await client?.setForeground(isForeground)
            _ = try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound, .badge])
        } catch let error as LiveActivityError { trouble = error.message } catch { trouble = error.localizedDescription }
    }

    func setForeground(_ isForeground: Bool) async {
        self.isForeground = isForeground
        await manager?.setForeground(isForeground)
        await client?.setForeground(isForeground)
    }

    func show(_ session: String?) async { await client?.show(session: session) }

    func open(_ link: DeepLink) { path = [link.session] }

    func register(alertToken: Data) async { await manager?.register(alertToken: alertToken) }

    func decide(_ approval: PendingApproval, _ verdict: Verdict) async {
        do {
            if case .refused(let code, let message, let winner)? = try await client?.decide(approval, verdict) {
                trouble = DecisionReply.refused(code: code, message: message, winner: winner).sentence
            }
        } catch let error as LiveActivityError { trouble = error.message } catch { trouble = error.localizedDescription }
    }

    private func end() {
        for task in tasks { task.cancel() }
        (tasks, client, manager) = ([], nil, nil)
    }

    private func begin(_ relay: URL) throws {
        let reporter = try HTTPRelayReporter(relay: relay, credentials: keychain, exchange: URLSessionExchange())
        DecisionDesk.shared.setUp(reporter: reporter)
        let client = try RelayClient(relay: relay, credentials: keychain, device: device, software: "sample/1")
        guard
            var registration = DeviceRegistration(
                device: device, name: UIDevice.current.name, environment: .sandbox, system: UIDevice.current.systemVersion)
        else { return }
        // Only with the full text does an alert offer to allow.
        registration.text = .full
        let folder = URL.applicationSupportDirectory
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let manager = LiveActivityManager(
            device: registration, reporter: reporter, store: LifecycleFile(folder.appending(path: "cards.json")),
            onTrouble: { trouble in Task { @MainActor [weak self] in self?.trouble = trouble.message } })
        (self.client, self.manager, isPaired) = (client, manager, true)
        tasks = [
            Task { await manager.run() },
            Task { [weak self] in for await state in client.states { self?.state = state } },
        ]
    }
}
