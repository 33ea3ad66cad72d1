//! The syntax of calc: from text to a tree whose nodes have their offsets in the text.
//!
//! ```text
//!   program    = { "foreign" "fn" signature ";" | "struct" name "{" fields "}" | "fn" signature block }
//!   signature  = name "(" [ name ":" type { "," name ":" type } ] ")" [ "->" type ]
//!   type       = "int" | "bool" | "float" [ "[" size { "," size } "]" ] | name      size = digits | "?"
//!   statement  = "let" name "=" expr ";" | expr [ "=" expr ] ";" | "return" [ expr ] ";"
//!              | "if" expr block [ "else" block ] | "while" expr block | "break" ";" | "continue" ";"
//!              | "print" "(" string { "," expr } ")" ";"
//!   expr       = operands with || && == != < <= > >= + - * / @, and from the tightest on
//!                f(..) x.field [..] (..)
//! ```

use chumsky::prelude::*;

/// A node with the offset of its first byte in the text.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub node: T,
    pub offset: usize,
}

pub(crate) type Name = At<String>;
pub(crate) type Expr = At<ExprKind>;
pub(crate) type Statement = At<StatementKind>;
pub(crate) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Foreign(Signature),
    Struct(Name, Vec<(Name, TypeName)>),
    Function(Signature, Block),
}

#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub name: Name,
    pub parameters: Vec<(Name, TypeName)>,
    pub result: Option<TypeName>,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeName {
    /// A tensor of floats; `None` is a size that is known only at run time.
    Tensor(Vec<Option<u64>>),
    /// `int`, `float`, `bool`, or a struct.
    Named(Name),
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Let(Name, Expr),
    Assign(Expr, Expr),
    Evaluate(Expr),
    If(Expr, Block, Block),
    While(Expr, Block),
    Break,
    Continue,
    Return(Option<Expr>),
    Print(String, Vec<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i64),
    Float(f32),
    Bool(bool),
    Name(String),
    Array(Vec<Expr>),
    Field(Box<Expr>, Name),
    Call(Name, Vec<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

/// An error of the parser: the offset, and the message.
pub(crate) type SyntaxError = (usize, String);

/// Words that cannot be names.
const KEYWORDS: &str = "foreign fn struct let if else while break continue return true false";

/// The message about a number that does not fit.
const TOO_LARGE: &str = "this number exceeds 64 bits";

type Extra<'s> = extra::Err<Rich<'s, char>>;

/// Parses a program.
pub(crate) fn parse(text: &str) -> Result<Vec<Item>, Vec<SyntaxError>> {
    let describe = |error: &Rich<'_, char>| (error.span().start, error.to_string());
    let items = space().ignore_then(item().repeated().collect()).then_ignore(end());
    let parsed = items.parse(text).into_result();
    parsed.map_err(|errors| errors.iter().map(describe).collect())
}

/// White space and comments.
fn space<'s>() -> impl Parser<'s, &'s str, (), Extra<'s>> + Clone {
    let white = any().filter(|c: &char| c.is_whitespace()).ignored();
    let comment = just("//").then(none_of('\n').repeated()).ignored();
    choice((white, comment)).repeated()
}

/// Punctuation.
fn token<'s>(text: &'static str) -> impl Parser<'s, &'s str, &'static str, Extra<'s>> + Clone {
    just(text).to(text).then_ignore(space()).labelled(text)
}

fn keyword<'s>(text: &'static str) -> impl Parser<'s, &'s str, (), Extra<'s>> + Clone {
    let word = text::ascii::keyword(text).ignored();
    word.then_ignore(space()).labelled(text)
}

fn name<'s>() -> impl Parser<'s, &'s str, Name, Extra<'s>> + Clone {
    let word =
        text::ascii::ident().filter(|word: &&str| KEYWORDS.split(' ').all(|other| other != *word));
    let located = word.map_with(|word: &str, extra| at(word.to_owned(), extra.span()));
    located.then_ignore(space()).labelled("a name")
}

fn at<T>(node: T, span: SimpleSpan) -> At<T> {
    At { node, offset: span.start }
}

/// A list in brackets.
fn list<'s, T>(
    open: &'static str,
    element: impl Parser<'s, &'s str, T, Extra<'s>> + Clone,
    close: &'static str,
) -> impl Parser<'s, &'s str, Vec<T>, Extra<'s>> + Clone {
    let elements = element.separated_by(token(",")).allow_trailing().collect();
    elements.delimited_by(token(open), token(close))
}

fn type_name<'s>() -> impl Parser<'s, &'s str, TypeName, Extra<'s>> + Clone {
    let digits = text::int(10).to_slice().try_map(|digits: &str, span| {
        digits.parse().map(Some).map_err(|_| Rich::custom(span, TOO_LARGE))
    });
    let size = choice((digits, just('?').to(None))).then_ignore(space());
    let shape = list("[", size.labelled("a size or '?'"), "]");
    let tensor = keyword("float").ignore_then(shape).map(TypeName::Tensor);
    choice((tensor, name().map(TypeName::Named))).labelled("a type")
}

fn item<'s>() -> impl Parser<'s, &'s str, Item, Extra<'s>> + Clone {
    let typed = || name().then_ignore(token(":")).then(type_name());
    let result = token("->").ignore_then(type_name()).or_not();
    let signature = name().then(list("(", typed(), ")")).then(result);
    let signature = keyword("fn")
        .ignore_then(signature)
        .map(|((name, parameters), result)| Signature { name, parameters, result });
    let foreign = keyword("foreign").ignore_then(signature.clone()).then_ignore(token(";"));
    let structure = keyword("struct").ignore_then(name()).then(list("{", typed(), "}"));
    choice((
        foreign.map(Item::Foreign),
        structure.map(|(name, fields)| Item::Struct(name, fields)),
        signature.then(block()).map(|(signature, body)| Item::Function(signature, body)),
    ))
}

fn block<'s>() -> impl Parser<'s, &'s str, Block, Extra<'s>> + Clone {
    recursive(|block| {
        let semicolon = || token(";");
        let named = keyword("let").ignore_then(name()).then_ignore(token("=")).then(expression());
        let target = expression().then(token("=").ignore_then(expression()).or_not());
        let otherwise = keyword("else").ignore_then(block.clone()).or_not();
        let branch = keyword("if").ignore_then(expression()).then(block.clone()).then(otherwise);
        let repeated = keyword("while").ignore_then(expression()).then(block);
        let text = none_of("\"\n").repeated().to_slice().delimited_by(just('"'), token("\""));
        let values = token(",").ignore_then(expression()).repeated().collect();
        let print = text.then(values).delimited_by(token("("), token(")"));
        let print = text::ascii::keyword("print").then(space()).ignore_then(print);
        let returned = keyword("return").ignore_then(expression().or_not());
        let statement = choice((
            named.map(|(name, value)| StatementKind::Let(name, value)).then_ignore(semicolon()),
            branch.map(|((condition, then), otherwise)| {
                StatementKind::If(condition, then, otherwise.unwrap_or_default())
            }),
            repeated.map(|(condition, body)| StatementKind::While(condition, body)),
            keyword("break").to(StatementKind::Break).then_ignore(semicolon()),
            keyword("continue").to(StatementKind::Continue).then_ignore(semicolon()),
            returned.map(StatementKind::Return).then_ignore(semicolon()),
            print
                .map(|(text, values): (&str, _)| StatementKind::Print(text.to_owned(), values))
                .then_ignore(semicolon()),
            target
                .map(|(target, value)| match value {
                    Some(value) => StatementKind::Assign(target, value),
                    None => StatementKind::Evaluate(target),
                })
                .then_ignore(semicolon()),
        ));
        let located = statement.map_with(|node, extra| at(node, extra.span()));
        located.repeated().collect().delimited_by(token("{"), token("}"))
    })
}

fn expression<'s>() -> impl Parser<'s, &'s str, Expr, Extra<'s>> + Clone {
    recursive(|expression| {
        let fraction = just('.').then(text::digits(10)).or_not();
        let digits = just('-').or_not().then(text::int(10)).then(fraction);
        let number = digits.to_slice().validate(|text: &str, extra, emitter| {
            if let Ok(value) = text.parse() {
                return ExprKind::Int(value);
            }
            if !text.contains('.') {
                emitter.emit(Rich::custom(extra.span(), TOO_LARGE));
            }
            ExprKind::Float(text.parse().unwrap_or_default())
        });
        let word = |text, value| keyword(text).to(ExprKind::Bool(value));
        let arguments = list("(", expression.clone(), ")").or_not();
        let atom = choice((
            number.then_ignore(space()),
            word("true", true),
            word("false", false),
            list("[", expression.clone(), "]").map(ExprKind::Array),
            name().then(arguments).map(|(name, arguments)| match arguments {
                Some(arguments) => ExprKind::Call(name, arguments),
                None => ExprKind::Name(name.node),
            }),
        ));
        let atom = atom.map_with(|node, extra| at(node, extra.span()));
        let atom = atom.or(expression.delimited_by(token("("), token(")")));
        let fields = token(".").ignore_then(name()).repeated();
        let primary = atom.foldl(fields, |value, field| {
            let offset = field.offset;
            At { node: ExprKind::Field(Box::new(value), field), offset }
        });
        let primary = primary.labelled("an expression");
        let product = binary(primary, choice((token("*"), token("/"), token("@"))));
        let sum = binary(product, choice((token("+"), token("-"))));
        let order =
            choice((token("=="), token("!="), token("<="), token(">="), token("<"), token(">")));
        let comparison = binary(sum, order);
        binary(binary(comparison, token("&&")), token("||")).boxed()
    })
}

/// Operators of one precedence, which associate to the left. The place of an operation is that of
/// its operator.
fn binary<'s>(
    operand: impl Parser<'s, &'s str, Expr, Extra<'s>> + Clone,
    operator: impl Parser<'s, &'s str, &'static str, Extra<'s>> + Clone,
) -> impl Parser<'s, &'s str, Expr, Extra<'s>> + Clone {
    let operator = operator.map_with(|operator, extra| at(operator, extra.span()));
    operand.clone().foldl(operator.then(operand).repeated(), |left, (operator, right)| At {
        node: ExprKind::Binary(operator.node, Box::new(left), Box::new(right)),
        offset: operator.offset,
    })
}
