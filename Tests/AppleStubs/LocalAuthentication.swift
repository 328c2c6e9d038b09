// LocalAuthentication as far as CryptoKit's declarations name it; see SwiftUI.swift.

public import Foundation

open class LAContext: NSObject {}
