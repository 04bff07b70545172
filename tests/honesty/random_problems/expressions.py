"""Expressions of model files in Python, and their derivatives. The grammar is Python's, with ^ for **; derivatives are
taken on Python's own syntax trees, so that nothing here is shared with Lento."""
import ast
import math

FUNCTIONS = {name: getattr(math, name) for name in
             "sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 sqrt hypot pow floor pi".split()}
FUNCTIONS |= {"abs": abs, "min": min, "max": max, "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
              "sign": lambda x: (x > 0) - (x < 0)}

# What the derivative of a function by its argument x is, in terms of x.
OUTER = {"sin": "cos(x)", "cos": "-sin(x)", "tan": "1 + tan(x)**2", "exp": "exp(x)", "log": "1/x",
         "sqrt": "0.5/sqrt(x)",
         "sinh": "cosh(x)", "cosh": "sinh(x)", "tanh": "1 - tanh(x)**2", "atan": "1/(1 + x**2)", "abs": "sign(x)"}
# The same of functions of x and y, by x and by y.
OUTER_OF_TWO = {"hypot": ("x/hypot(x, y)", "y/hypot(x, y)"), "atan2": ("y/(x**2 + y**2)", "-x/(x**2 + y**2)")}


def tree_of(expression):
    return ast.parse(str(expression).replace("^", "**"), mode="eval").body


class Substitution(ast.NodeTransformer):
    def __init__(self, trees):
        self.trees = trees

    def visit_Name(self, node):
        return self.trees.get(node.id, node)


def substituted(expression, meanings):
    """Names replaced by what they mean, numbers or expressions, those within meanings too."""
    text = ast.unparse(tree_of(expression))
    trees = {name: tree_of(meaning) for name, meaning in meanings.items()}
    while True:
        replaced = ast.unparse(Substitution(trees).visit(tree_of(text)))
        if replaced == text:
            return text
        text = replaced


def value_of(expression, values=None):
    return float(eval(ast.unparse(tree_of(expression)), dict(FUNCTIONS), dict(values or {})))


def sum_of(*terms):
    kept = [term for term in terms if term != "0"]
    return " + ".join(f"({term})" for term in kept) if kept else "0"


def product_of(*factors):
    if "0" in factors:
        return "0"
    kept = [factor for factor in factors if factor != "1"]
    return "*".join(f"({factor})" for factor in kept) if kept else "1"


def derivative(expression, name):
    """The partial derivative by a name, as an expression of Python; "0" where it does not occur."""
    return of_tree(tree_of(expression), name)


def of_tree(node, name):
    text = ast.unparse(node)
    if all(part.id != name for part in ast.walk(node) if isinstance(part, ast.Name)):
        return "0"
    if isinstance(node, ast.Name):
        return "1"
    if isinstance(node, ast.UnaryOp):
        return product_of("-1", of_tree(node.operand, name))
    if isinstance(node, ast.Call):
        arguments = [ast.unparse(argument) for argument in node.args]
        outer = OUTER_OF_TWO.get(node.func.id) or (OUTER[node.func.id],)
        given = {letter: argument for letter, argument in zip("xy", arguments)}
        return sum_of(*(product_of(ast.unparse(Substitution({key: tree_of(given[key])
                                                             for key in given}).visit(tree_of(rule))),
                                   of_tree(argument, name)) for rule, argument in zip(outer, node.args)))
    left, right = ast.unparse(node.left), ast.unparse(node.right)
    by_left, by_right = of_tree(node.left, name), of_tree(node.right, name)
    match node.op:
        case ast.Add():
            return sum_of(by_left, by_right)
        case ast.Sub():
            return sum_of(by_left, product_of("-1", by_right))
        case ast.Mult():
            return sum_of(product_of(by_left, right), product_of(left, by_right))
        case ast.Div():
            return sum_of(product_of(by_left, f"1/({right})"), product_of("-1", by_right, f"({left})/({right})**2"))
        case ast.Pow() if by_right == "0":
            return product_of(right, f"({left})**(({right}) - 1)", by_left)
    raise ValueError(f"no rule for the derivative of {text}")
