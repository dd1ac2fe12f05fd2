"""What every executor that asks an endpoint shares: exchange, reply, and what follows it."""
