import AppIntents
import Kit
import SwiftUI
import UserNotifications

@main struct SampleApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            RootView(model: delegate.model)
                .onOpenURL { url in
                    if let link = try? DeepLink(url) { delegate.model.open(link) }
                }
        }
        .onChange(of: phase) { _, phase in
            guard phase != .inactive else { return }
            Task { await delegate.model.setForeground(phase == .active) }
        }
    }
}

/// So that the system finds the intents of the card's buttons.
struct AppPackage: AppIntentsPackage {
    static var includedPackages: [any AppIntentsPackage.Type] { [HeliographIntents.self] }
}

@MainActor final class AppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    let model = AppModel()

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        AlertCategory.register()
        // A button of a card may be why the app runs: all is set up before the launch is over.
        model.resume()
        application.registerForRemoteNotifications()
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data) {
        Task { await model.register(alertToken: token) }
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        model.trouble = error.localizedDescription
    }

    /// Allow and Deny of an alert, and a tap on it.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {
        guard let answer = AlertResponse(response) else { return }
        if let link = await DecisionDesk.shared.carryOut(answer) { model.open(link) }
    }
}
