//! As much of Protocol Buffers as events need: the fields of a message, one after the other.

/// The value of a field as it lies in the message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Field<'a> {
    Integer(u64),
    Eight([u8; 8]),
    /// Text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
    Four([u8; 4]),
}

/// The fields of a message with their numbers; nothing where the bytes are no message.
pub(super) fn fields(mut rest: &[u8]) -> Option<Vec<(u64, Field<'_>)>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = integer(&mut rest)?;
        let field = match key & 7 {
            0 => Field::Integer(integer(&mut rest)?),
            1 => Field::Eight(taken(&mut rest)?),
            2 => {
                let length = usize::try_from(integer(&mut rest)?).ok()?;
                let (bytes, behind) = rest.split_at_checked(length)?;
                rest = behind;
                Field::Bytes(bytes)
            }
            5 => Field::Four(taken(&mut rest)?),
            _ => return None,
        };
        fields.push((key >> 3, field));
    }
    Some(fields)
}

/// Integers of variable length, one after the other.
pub(super) fn integers(mut rest: &[u8]) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    while !rest.is_empty() {
        all.push(integer(&mut rest)?);
    }
    Some(all)
}

fn taken<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*bytes)
}

fn integer(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = taken(rest)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
