import AppIntents
import Foundation
import Kit
import SwiftUI
import UIKit
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

final class AppDelegate: NSObject, UIApplicationDelegate {
    let model = AppModel()

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        AlertCategory.register()
        // A button of a card may be why the app runs: all is set up before the launch is over.
        model.resume()
        application.registerForRemoteNotifications()
        return true
    }

    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
        Task { await model.register(alertToken: deviceToken) }
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        model.trouble = error.localizedDescription
    }
}

/// The center calls from where it likes, and what it hands over is not Sendable: only values that are go on to the main actor. UIKit wants
/// the handlers to be called there, which the `async` forms of these methods do not promise.
extension AppDelegate: UNUserNotificationCenterDelegate {
    /// An alert while the app is open.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        let payload = try? AlertPayload(userInfo: notification.request.content.userInfo)
        // Called once, on the main actor.
        nonisolated(unsafe) let present = completionHandler
        Task { @MainActor in present(model.isOnScreen(payload) ? [] : [.banner, .list, .sound]) }
    }

    /// Allow and Deny of an alert, and a tap on it.
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let answer = AlertResponse(response)
        // Called once, on the main actor.
        nonisolated(unsafe) let done = completionHandler
        Task { @MainActor in
            if let answer, let link = await DecisionDesk.shared.carryOut(answer) { model.open(link) }
            done()
        }
    }

    /// From the system's page of this app's notifications.
    nonisolated func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        Task { @MainActor in model.showsSettings = true }
    }
}
