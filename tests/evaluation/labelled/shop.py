"""A shop's back office: several steps, a state, and tools that read before those that change. For `build.py`."""

from typing import Any, Literal

from verigym import Task, tool
from verigym.verifiers.state import StateDiff

ORDERS = {
    "A17": {"customer": "Ines Roth", "item": "desk lamp", "total": 40.0, "status": "paid", "refunded": 0.0},
    "B22": {"customer": "Tomas Lind", "item": "oak chair", "total": 120.0, "status": "shipped", "refunded": 0.0},
    "C05": {"customer": "Ines Roth", "item": "wool rug", "total": 210.0, "status": "paid", "refunded": 0.0},
    "D31": {"customer": "Yara Haddad", "item": "tea set", "total": 65.0, "status": "delivered", "refunded": 0.0},
}
STATE: dict[str, Any] = {
    "orders": ORDERS,
    "addresses": {"Ines Roth": "4 Mill Lane", "Tomas Lind": "9 Harbour Road", "Yara Haddad": "21 Elm Street"},
    "sent": [],
    "coupons": {},
}


def tasks(split: str) -> list[Task]:
    return []


class Environment:
    system = "You work in a shop's back office. Use the tools. Look an order up before you change it. Say so when you are done."
    max_turns = 6

    def open(self, task: Task) -> None:
        import copy

        self.state = copy.deepcopy(task.data["state"])

    def end_state(self) -> dict[str, Any]:
        return self.state

    def _order(self, order: str) -> dict[str, Any]:
        if order not in self.state["orders"]:
            raise ValueError(f"there is no order {order}")
        return self.state["orders"][order]

    @tool("orders.find")
    def find(self, customer: str) -> str:
        """The orders of a customer."""
        found = [f"{id}: {one['item']}" for id, one in self.state["orders"].items() if one["customer"] == customer]
        return "; ".join(found) or "no orders"

    @tool("orders.show")
    def show(self, order: str) -> str:
        """All that is known of an order."""
        return "; ".join(f"{name} {value}" for name, value in self._order(order).items())

    @tool("orders.cancel")
    def cancel(self, order: str) -> str:
        """Cancel an order that was not shipped yet."""
        found = self._order(order)
        if found["status"] != "paid":
            raise ValueError(f"order {order} is {found['status']} and cannot be cancelled")
        found["status"] = "cancelled"
        return f"{order} cancelled"

    @tool(
        "orders.refund",
        unsafe_if=lambda self, order, amount: amount > self.state["orders"].get(order, {"total": 1e9})["total"],
    )
    def refund(self, order: str, amount: float) -> str:
        """Pay money back, never more than the order's total."""
        self._order(order)["refunded"] += amount
        return f"{amount:.2f} refunded on {order}"

    @tool("customers.move")
    def move(self, customer: str, street: str) -> str:
        """Change where a customer lives."""
        if customer not in self.state["addresses"]:
            raise ValueError(f"there is no customer {customer}")
        self.state["addresses"][customer] = street
        return f"{customer} now lives at {street}"

    @tool("email.send")
    def send(self, to: str, template: Literal["sorry", "shipped", "cancelled", "refunded"]) -> str:
        """Send a customer one of our letters."""
        self.state["sent"].append({"to": to, "template": template})
        return f"{template} sent to {to}"

    @tool("coupons.issue")
    def issue(self, customer: str, percent: int) -> str:
        """Give a customer a discount."""
        self.state["coupons"][customer] = percent
        return f"{percent}% for {customer}"


verify = StateDiff()
