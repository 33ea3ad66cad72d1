//! Graphs that other programs wrote: files with a GraphDef, and SavedModels.
//!
//! ```text
//!   model.pb       binary GraphDef       placeholders ──> parameters, unused values ──> results
//!   model.pbtxt    GraphDef as text      the same
//!   folder, or its saved_model.pb        the inputs and outputs of a signature
//!        │
//!        └─ import ──> tfx_tensor.graph @main ── + a host function, which starts and finishes it
//! ```

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use melior::Context;
use melior::ir::Module;
use melior::ir::attribute::ArrayAttribute;
use prost::Message;
use tfx_dialects::tensor;
use tfx_dialects::types::is_graph_only;
use tfx_graphdef::proto::GraphDef;
use tfx_graphdef::saved_model::{SavedModel, Signature};
use tfx_graphdef::text::from_text;
use tfx_ir::{Op, module};
use tfx_runtime::failure::listed;

use crate::error::{Error, ErrorKind};
use crate::files;

/// The file of a SavedModel in its folder.
const SAVED_MODEL: &str = "saved_model.pb";

/// The signature that TensorFlow chooses by default.
const DEFAULT_SIGNATURE: &str = "serving_default";

/// The signature of a graph that initializes a SavedModel.
const INITIALIZATION: &str = "__saved_model_init_op";

/// The operations that hold a variable of TensorFlow 1 or 2.
const VARIABLES: [&str; 4] = [
    "VarHandleOp",
    "Variable",
    "VariableV2",
    "VarIsInitializedOp",
];

/// The name of the host function.
const HOST_FUNCTION: &str = "run";

/// A graph, and the names of its inputs and outputs.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) graph: GraphDef,
    /// The names by the values of the graph; `None`: placeholders and results keep their names.
    signature: Option<Signature>,
}

/// Returns the file of a model by its name: the extension `.pb` or `.pbtxt`, or the folder of a
/// SavedModel. Any other file is a program in text form.
pub(crate) fn file_of(path: &Path) -> Option<PathBuf> {
    if path.join(SAVED_MODEL).is_file() {
        return Some(path.join(SAVED_MODEL));
    }
    let extension = path.extension()?;
    (extension == "pb" || extension == "pbtxt").then(|| path.to_owned())
}

/// Reads a model.
///
/// # Errors
/// The file cannot be read, or is neither a GraphDef nor a SavedModel with one signature.
pub(crate) fn read(path: &Path) -> Result<Model, Error> {
    let name = path.display().to_string();
    let wrong = |reason: String| Error::new(ErrorKind::Program, format!("{name}: {reason}"));
    let bytes = files::read(path)?;
    if path
        .extension()
        .is_some_and(|extension| extension == "pbtxt")
    {
        let text = String::from_utf8(bytes).map_err(|_| wrong("is not text".to_owned()))?;
        let graph = from_text(&text);
        let graph =
            graph.map_err(|error| wrong(format!("is not a GraphDef in text form: {error}")))?;
        return checked(graph, None).map_err(wrong);
    }
    if path.file_name().is_some_and(|file| file == SAVED_MODEL) {
        let model = SavedModel::decode(bytes.as_slice())
            .map_err(|error| wrong(format!("is not a SavedModel: {error}")))?;
        let (graph, signature) = choose(model).map_err(wrong)?;
        return checked(graph, Some(signature)).map_err(wrong);
    }
    let graph = GraphDef::decode(bytes.as_slice())
        .map_err(|error| wrong(format!("is not a binary GraphDef: {error}")))?;
    checked(graph, None).map_err(wrong)
}

/// Returns the graph with its default or only signature.
fn choose(model: SavedModel) -> Result<(GraphDef, Signature), String> {
    let mut found = Vec::new();
    for meta in model.meta_graphs {
        let Some(graph) = meta.graph_def else {
            continue;
        };
        for (name, signature) in meta.signatures {
            if name != INITIALIZATION {
                found.push((name, graph.clone(), signature));
            }
        }
    }
    let default = found
        .iter()
        .position(|(name, ..)| name == DEFAULT_SIGNATURE);
    match (default, found.len()) {
        (Some(index), _) => {
            let (_, graph, signature) = found.swap_remove(index);
            Ok((graph, signature))
        }
        (None, 1) => {
            let (_, graph, signature) = found.swap_remove(0);
            Ok((graph, signature))
        }
        (None, 0) => Err("has no signature, which names inputs and outputs".to_owned()),
        (None, _) => {
            let names = listed(found.iter().map(|(name, ..)| name.as_str()));
            Err(format!(
                "has no signature '{DEFAULT_SIGNATURE}'; there are {names}"
            ))
        }
    }
}

/// Rejects variables: their values are not in the graph.
fn checked(graph: GraphDef, signature: Option<Signature>) -> Result<Model, String> {
    let functions = graph.library.iter().flat_map(|library| &library.function);
    let nodes = functions.flat_map(|function| &function.node_def);
    let mut nodes = graph.node.iter().chain(nodes);
    match nodes.find(|node| VARIABLES.contains(&node.op.as_str())) {
        Some(node) => Err(format!(
            "node '{}' is a variable ({}), whose value is not in the graph; save the model with constants instead of variables (frozen)",
            node.name, node.op
        )),
        None => Ok(Model { graph, signature }),
    }
}

impl Model {
    /// Returns the values that the graph must return: all that have no user, if the list is empty.
    pub(crate) fn outputs(&self) -> Vec<String> {
        let outputs = self
            .signature
            .iter()
            .flat_map(|signature| signature.outputs.values());
        let names: BTreeSet<_> = outputs.map(|info| short(&info.name).to_owned()).collect();
        names.into_iter().collect()
    }

    /// Returns the values that the host can hold among those that an imported graph returns because
    /// no node uses them. The others may be left over from the computation of these, such as the
    /// lists of a loop over a sequence. Returns none if the graph returns what it should.
    pub(crate) fn other_outputs(&self, module: &Module<'_>) -> Option<Vec<String>> {
        let graph = main_graph(module);
        let (_, results) = graph.op().signature();
        let names = names_in(graph.res_attrs(), results.len());
        let pairs = || results.iter().zip(&names);
        let kept = pairs().filter(|(ty, _)| !is_graph_only(**ty));
        let kept: Vec<_> = kept.map(|(_, name)| name.clone()).collect();
        let is_other = kept.len() < results.len() && !kept.is_empty();
        (self.signature.is_none() && is_other).then_some(kept)
    }

    /// Adds a host function that runs the imported graph, with the names of the signature.
    ///
    /// # Errors
    /// A placeholder that is no input of the signature.
    pub(crate) fn add_host_function<'c>(
        &self,
        context: &'c Context,
        module: &Module<'c>,
    ) -> Result<(), Error> {
        let target = module::as_op(module);
        let graph = main_graph(module);
        let (inputs, results) = graph.op().signature();
        let mut names: Vec<_> = [
            (graph.arg_attrs(), inputs.len()),
            (graph.res_attrs(), results.len()),
        ]
        .map(|(attributes, count)| names_in(attributes, count))
        .into();
        let mut returned: Vec<_> = (0..results.len()).collect();
        if let Some(signature) = &self.signature {
            let inputs = signature.inputs.iter();
            let keys: HashMap<_, _> = inputs.map(|(key, info)| (short(&info.name), key)).collect();
            for name in &mut names[0] {
                let Some(&key) = keys.get(name.as_str()) else {
                    let message = format!(
                        "the outputs of the signature depend on the placeholder '{name}', which is not one of its inputs"
                    );
                    return Err(Error::new(ErrorKind::Program, message));
                };
                name.clone_from(key);
            }
            let outputs = signature.outputs.iter();
            let position = |info: &str| names[1].iter().position(|name| name == short(info));
            let outputs: Vec<_> = outputs
                .filter_map(|(key, info)| Some((key.clone(), position(&info.name)?)))
                .collect();
            returned = outputs.iter().map(|(_, index)| *index).collect();
            names[1] = outputs.into_iter().map(|(key, _)| key).collect();
        }
        let types = |list: &[melior::ir::Type<'_>]| -> Vec<String> {
            list.iter().map(ToString::to_string).collect()
        };
        let (inputs, results) = (types(&inputs), types(&results));
        let taken: BTreeSet<_> = target.children().filter_map(Op::symbol_name).collect();
        let mut host = HOST_FUNCTION.to_owned();
        while taken.contains(host.as_str()) {
            host.push('_');
        }
        let symbol = graph.sym_name();
        let text = host_function(&host, symbol, &inputs, &results, &returned, &names);
        let source = module::parse_unverified(context, &text, "generated by tfx")
            .expect("the generated text is valid IR");
        let block = graph.op().block().expect("a graph is in a module");
        let functions: Vec<_> = module::as_op(&source).children().collect();
        for function in functions {
            function.move_to_end(block);
        }
        Ok(())
    }
}

/// Returns the graph that is not a function of others.
fn main_graph<'m>(module: &'m Module<'_>) -> tensor::Graph<'m> {
    let children = module::as_op(module).children();
    let graphs = children.filter_map(tensor::Graph::cast);
    graphs.last().expect("an imported module has a graph")
}

/// Returns the name of a value as the importer writes it: without the number of a first result.
fn short(name: &str) -> &str {
    name.strip_suffix(":0").unwrap_or(name)
}

/// Returns the names in the attributes of parameters or results.
fn names_in(attributes: Option<melior::ir::Attribute<'_>>, count: usize) -> Vec<String> {
    use melior::ir::attribute::DictionaryAttribute;
    let list = attributes.and_then(|list| ArrayAttribute::try_from(list).ok());
    let name = |index| {
        let dictionary = DictionaryAttribute::try_from(list?.element(index).ok()?).ok()?;
        let name = dictionary.element_by_name("tfx.name")?;
        tfx_ir::attribute::text(name).map(str::to_owned)
    };
    (0..count)
        .map(|index| name(index).unwrap_or_default())
        .collect()
}

/// Returns the text of the host function.
fn host_function(
    host: &str,
    graph: &str,
    inputs: &[String],
    results: &[String],
    returned: &[usize],
    names: &[Vec<String>],
) -> String {
    let named = |ty: &str, name: &str| format!("{ty} {{tfx.name = {}}}", quoted(name));
    let parameters: Vec<_> = inputs
        .iter()
        .zip(&names[0])
        .enumerate()
        .map(|(index, (ty, name))| format!("%a{index}: {}", named(ty, name)))
        .collect();
    let outputs: Vec<_> = returned
        .iter()
        .zip(&names[1])
        .map(|(&index, name)| named(&results[index], name))
        .collect();
    let arguments: Vec<_> = (0..inputs.len())
        .map(|index| format!("%a{index}"))
        .collect();
    let types = |list: &[String]| match list.is_empty() {
        true => String::new(),
        false => format!(" : {}", list.join(", ")),
    };
    let bound = match results.len() {
        0 => String::new(),
        count => format!("%r:{count} = "),
    };
    let values: Vec<_> = returned.iter().map(|index| format!("%r#{index}")).collect();
    let returned: Vec<_> = returned
        .iter()
        .map(|&index| results[index].clone())
        .collect();
    let mut text = String::new();
    writeln!(
        text,
        "func.func @{host}({}) -> ({}) {{\n  %p = tfx_comm.start @{}({}){} loc(unknown)\n  {bound}tfx_comm.finish %p{} loc(unknown)\n  return {}{}\n}} loc(unknown)",
        parameters.join(", "),
        outputs.join(", "),
        quoted(graph),
        arguments.join(", "),
        types(inputs),
        types(results),
        values.join(", "),
        types(&returned),
    )
    .expect("writing to a string does not fail");
    text
}

/// Returns a string of MLIR.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => quoted.push(byte.into()),
            _ => write!(quoted, "\\{byte:02X}").expect("writing to a string does not fail"),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tfx_graphdef::saved_model::{MetaGraph, TensorInfo};
    use tfx_runtime::{Tensor, format};

    use super::*;
    use crate::codegen::{Jit, OptimizationLevel};
    use crate::{Source, prepare};

    const GRAPH: &str = r#"
        node { name: "in" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
               attr { key: "shape" value { shape { dim { size: 2 } } } } }
        node { name: "sum" op: "AddV2" input: "in" input: "in"
               attr { key: "T" value { type: DT_FLOAT } } }
        node { name: "negative" op: "Neg" input: "sum" attr { key: "T" value { type: DT_FLOAT } } }
    "#;

    fn values(pairs: &[(&str, &str)]) -> std::collections::BTreeMap<String, TensorInfo> {
        let info = |name: &str| TensorInfo {
            name: name.to_owned(),
        };
        let pairs = pairs.iter();
        pairs
            .map(|(key, name)| ((*key).to_owned(), info(name)))
            .collect()
    }

    fn saved(signatures: &[(&str, Signature)]) -> SavedModel {
        let signatures = signatures.iter().cloned();
        SavedModel {
            meta_graphs: vec![MetaGraph {
                graph_def: from_text(GRAPH).ok(),
                signatures: signatures
                    .map(|(name, signature)| (name.to_owned(), signature))
                    .collect(),
            }],
        }
    }

    /// The names are those of the signature, in its order; a value may have two names.
    #[test]
    fn a_signature_names_inputs_and_outputs() {
        let signature = Signature {
            inputs: values(&[("x", "in:0")]),
            outputs: values(&[("a", "negative:0"), ("b", "sum:0"), ("c", "negative:0")]),
        };
        let folder = tempfile::tempdir().expect("a folder");
        let other = (INITIALIZATION, Signature::default());
        let bytes = saved(&[("serve", signature), other]).encode_to_vec();
        fs::write(folder.path().join(SAVED_MODEL), bytes).expect("written");
        let context = Context::new();
        prepare(&context);
        let source = Source::read(folder.path()).expect("a SavedModel");
        let compiled = source
            .parse(&context)
            .and_then(|program| program.compile(None));
        let compiled = compiled.expect("it compiles");
        let jit = Jit::new(compiled.module(), &[], OptimizationLevel::default()).expect("code");
        let entry = jit.entry().expect("an entry");
        let names = |list: &[tfx_runtime::entry::Parameter]| -> Vec<String> {
            list.iter()
                .map(|parameter| parameter.name.clone())
                .collect()
        };
        assert_eq!(names(&entry.parameters), ["x"]);
        assert_eq!(names(&entry.results), ["a", "b", "c"]);
        let argument = Tensor::from_slice(&[2], &[1.0f32, 2.0]).expect("a tensor");
        let results = (entry.call)(vec![argument]).expect("results");
        let texts: Vec<_> = results.iter().map(format::tensor).collect();
        assert_eq!(texts, ["[-2. -4.]", "[2. 4.]", "[-2. -4.]"]);
    }

    #[test]
    fn a_signature_must_be_clear_and_complete() {
        let signature = Signature::default();
        let both = saved(&[("one", signature.clone()), ("two", signature.clone())]);
        let error = choose(both).expect_err("two signatures");
        assert_eq!(
            error,
            "has no signature 'serving_default'; there are 'one', 'two'"
        );
        assert!(choose(saved(&[])).is_err());
        let default = saved(&[("one", signature.clone()), (DEFAULT_SIGNATURE, signature)]);
        assert!(choose(default).is_ok());
        let model = Model {
            graph: from_text(GRAPH).expect("a graph"),
            signature: Some(Signature {
                inputs: values(&[]),
                outputs: values(&[("a", "sum:0")]),
            }),
        };
        let context = Context::new();
        prepare(&context);
        let (program, _) = crate::Program::import(
            &context,
            &model.graph,
            &model.outputs(),
            tfx_shapes::Shapes::Builtin,
        )
        .expect("a graph");
        let error = model.add_host_function(&context, program.module());
        let error = error.expect_err("an input is missing").to_string();
        assert!(error.contains("placeholder 'in', which is not one of its inputs"));
    }
}
