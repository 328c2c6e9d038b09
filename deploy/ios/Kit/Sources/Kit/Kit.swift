// What the app and its widget import.
@_exported import HeliographKit
@_exported import LiveActivityKit
