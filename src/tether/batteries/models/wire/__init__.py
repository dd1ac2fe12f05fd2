"""The parts that every executor over a wire shares: options, exchange, reply, delivery."""
