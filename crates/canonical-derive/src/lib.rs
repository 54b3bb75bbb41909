//! Derives the canonical encoding of `canonical`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Fields, Ident, Index, LitStr, Token, parse_macro_input, parse_quote,
};

/// Implements `canonical::Canonical` for a struct or enum.
///
/// Type, variant and field names enter the bytes, fields in ascending order of name (`0`, `1` … where they have
/// none), variants by name. `#[canonical(name = "old")]` on any of them keeps a name across a rename.
#[proc_macro_derive(Canonical, attributes(canonical))]
pub fn derive_canonical(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implementation(input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn implementation(mut input: DeriveInput) -> syn::Result<TokenStream> {
    let ident = &input.ident;
    let name = encoded_name(&input.attrs, &ident.to_string())?;
    let body = match &input.data {
        Data::Struct(data) => structure(&name, &data.fields)?,
        Data::Enum(data) => enumeration(&name, data.variants.iter())?,
        Data::Union(_) => {
            return Err(syn::Error::new(ident.span(), "a union has no canonical form"));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::canonical::Canonical));
    }
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::canonical::Canonical for #ident #type_generics #where_clause {
            fn encode(&self, out: &mut ::canonical::Encoder) {
                #body
            }
        }
    })
}

fn structure(name: &LitStr, fields: &Fields) -> syn::Result<TokenStream> {
    let mut puts = Vec::new();
    for (position, field) in fields.iter().enumerate() {
        let member = match &field.ident {
            Some(ident) => quote!(#ident),
            None => {
                let index = Index::from(position);
                quote!(#index)
            }
        };
        puts.push((field_name(field, position)?, quote!(&self.#member)));
    }
    let puts = in_order(puts, "field")?;
    Ok(quote!(out.structure(#name, |_fields| { #puts });))
}

fn enumeration<'a>(
    name: &LitStr,
    variants: impl ExactSizeIterator<Item = &'a syn::Variant>,
) -> syn::Result<TokenStream> {
    if variants.len() == 0 {
        return Ok(quote!(match *self {}));
    }
    let mut arms = Vec::new();
    let mut names = Vec::new();
    for variant in variants {
        let ident = &variant.ident;
        let variant_name = encoded_name(&variant.attrs, &ident.to_string())?;
        let mut bindings = Vec::new();
        let mut puts = Vec::new();
        for (position, field) in variant.fields.iter().enumerate() {
            let binding = format_ident!("field_{position}");
            let member = match &field.ident {
                Some(ident) => quote!(#ident),
                None => {
                    let index = Index::from(position);
                    quote!(#index)
                }
            };
            bindings.push(quote!(#member: #binding));
            puts.push((field_name(field, position)?, quote!(#binding)));
        }
        let puts = in_order(puts, "field")?;
        arms.push(quote! {
            Self::#ident { #(#bindings),* } => out.variant(#name, #variant_name, |_fields| { #puts }),
        });
        names.push((variant_name, TokenStream::new()));
    }
    in_order(names, "variant")?;
    Ok(quote!(match self { #(#arms)* }))
}

/// The statements that put the fields, sorted by name.
fn in_order(mut puts: Vec<(LitStr, TokenStream)>, what: &str) -> syn::Result<TokenStream> {
    puts.sort_by_key(|(name, _)| name.value());
    for pair in puts.windows(2) {
        if pair[0].0.value() == pair[1].0.value() {
            let message = format!("two {what}s are encoded as `{}`", pair[1].0.value());
            return Err(syn::Error::new(pair[1].0.span(), message));
        }
    }
    Ok(puts.into_iter().map(|(name, value)| quote!(_fields.field(#name, #value);)).collect())
}

fn field_name(field: &syn::Field, position: usize) -> syn::Result<LitStr> {
    let written = match &field.ident {
        Some(ident) => ident.to_string(),
        None => position.to_string(),
    };
    encoded_name(&field.attrs, &written)
}

/// The name given by `#[canonical(name = "…")]`, else the one in the source.
fn encoded_name(attributes: &[Attribute], written: &str) -> syn::Result<LitStr> {
    let mut name = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("canonical")) {
        let settings = attribute.parse_args_with(Punctuated::<NameSetting, Token![,]>::parse_terminated)?;
        for setting in settings {
            if name.replace(setting.0).is_some() {
                return Err(syn::Error::new_spanned(attribute, "the name is given twice"));
            }
        }
    }
    let written = written.strip_prefix("r#").unwrap_or(written);
    Ok(name.unwrap_or_else(|| LitStr::new(written, Span::call_site())))
}

struct NameSetting(LitStr);

impl syn::parse::Parse for NameSetting {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let key: Ident = input.parse()?;
        if key != "name" {
            return Err(syn::Error::new(key.span(), "only `name = \"…\"` is known here"));
        }
        input.parse::<Token![=]>()?;
        input.parse().map(Self)
    }
}
