"some.thing"() : () -> ()
