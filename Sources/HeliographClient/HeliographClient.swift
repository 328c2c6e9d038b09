// HeliographClient
