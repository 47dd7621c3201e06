"""A hand that draws, a board that was really played, a camera that photographs."""
