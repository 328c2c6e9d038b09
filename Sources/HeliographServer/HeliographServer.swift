// HeliographServer
