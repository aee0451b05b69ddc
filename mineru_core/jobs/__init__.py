"""Jobs: submitted, polled, cancelled, resumed."""
