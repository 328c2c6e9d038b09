// LocalAuthentication, limited to the part that CryptoKit's declarations name; see SwiftUI.swift.

public import Foundation

open class LAContext: NSObject {}
