//! Enums of words: each variant with what people call it.

/// Declares an enum, the list of its variants, and the words for them, in which it is also serialised.
macro_rules! worded {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident, $words:ident {
            $($(#[$doc:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            #[allow(dead_code, reason = "not every list is asked for")]
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            $vis fn $words(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.$words())
            }
        }
    };
}

pub(crate) use worded;
